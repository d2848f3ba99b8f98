import AccountKeys
import Foundation
import Secrets
import Testing

/// The keys in real files.
@Suite final class FileKeyDiskTests {
  private let state: String

  init() throws {
    state = FileManager.default.temporaryDirectory.path + "/wvg-keys-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: state) }

  private func open(_ credential: SecretBytes? = nil) throws -> Keys<FileKeyDisk> {
    try Keys(FileKeyDisk(), at: state, credential: credential)
  }

  /// Every file below the state directory.
  private func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: state) {
      if let data = FileManager.default.contents(atPath: state + "/" + name) { files[name] = Array(data) }
    }
    return files
  }

  private func mode(_ name: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: state + "/" + name)[.posixPermissions] as? Int)
  }

  @Test func keysOutliveTheProgram() throws {
    let object = try World.object(1)
    let key = try open().store.writingKey(for: object, of: World.anna)
    let keys = try open()
    #expect(keys.store.notices == [])
    #expect(try keys.store.readingKey(for: object, under: key.id, of: World.anna).bytes.isEqual(to: key.bytes))
    for name in try FileManager.default.subpathsOfDirectory(atPath: state) {
      let isDirectory = ["keys", "keys/epoch-1"].contains(name)
      #expect(try mode(name) == (isDirectory ? 0o700 : 0o600), "\(name)")
    }
  }

  /// After a destruction the directory has neither the key nor anything that it could be made of.
  @Test func nothingOfADestroyedKeyIsLeft() throws {
    let keys = try open()
    let gone = try keys.store.writingKey(for: try World.object(1), of: World.bob)
    let kept = try keys.store.writingKey(for: try World.object(2), of: World.anna)
    let before = try files()
    let secret = try #require(before["keys.secret"])
    let epoch = try #require(before["keys/epoch-1/secret"])
    let wrapped = try #require(before["keys/epoch-1/\(gone.id.hex).key"].flatMap { WrappedKey($0) })
    let plain = try #require(Thief.keys(in: [epoch, wrapped.bytes], secret: AccountKeysTests.secret(secret))[gone.id])
    for needle in [epoch, wrapped.sealed] { #expect(before.values.contains { Thief.holds($0, needle) }) }
    #expect(!before.values.contains { Thief.holds($0, plain) })
    _ = try keys.store.destroy([World.bob])
    let after = try files()
    for (name, bytes) in after {
      for needle in [plain, epoch, wrapped.sealed, gone.bytes.array] {
        #expect(!Thief.holds(bytes, needle), "\(name)")
      }
    }
    #expect(Set(Thief.keys(in: Array(after.values), secret: AccountKeysTests.secret(secret)).keys) == [kept.id])
    #expect(try FileManager.default.contentsOfDirectory(atPath: state + "/keys") == ["epoch-2"])
  }

  /// The bytes are written over in their place: somebody who still has the old file open reads zeros.
  @Test func oldFilesAreOverwrittenInTheirPlace() throws {
    let keys = try open()
    let gone = try keys.store.writingKey(for: try World.object(1), of: World.bob)
    let names = ["secret", gone.id.hex + ".key"]
    let held = try names.map { try #require(FileHandle(forReadingAtPath: "\(state)/keys/epoch-1/\($0)")) }
    _ = try keys.store.destroy([World.bob])
    for file in held {
      let bytes = try #require(try file.readToEnd())
      #expect(bytes.count >= 32 && bytes.allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: ["keys", "keys/epoch-1", "keys/epoch-1/secret", "keys.register", "keys.secret"])
  func filesThatOthersMayReadAreRefused(_ name: String) throws {
    _ = try open().store.writingKey(for: try World.object(1), of: World.anna)
    let right = try mode(name)
    for bit in [0o040, 0o020, 0o010, 0o004, 0o002, 0o001] {
      try #require(chmod(state + "/" + name, mode_t(right | bit)) == 0)
      guard case .exposed(state + "/" + name, _) = refusal({ _ = try self.open() }) else {
        Issue.record("mode \(right | bit)")
        continue
      }
    }
    try #require(chmod(state + "/" + name, mode_t(right)) == 0)
    #expect(refusal { _ = try self.open() } == nil)
  }

  /// A link, a pipe, a second name in the place of a file, and another user's file.
  @Test func whatIsNoFileOfOursIsRefused() throws {
    let key = try open().store.writingKey(for: try World.object(1), of: World.anna)
    let secret = state + "/keys/epoch-1/secret"
    let aside = state + "/aside"
    try FileManager.default.linkItem(atPath: secret, toPath: aside)
    #expect(refusal { _ = try self.open() } == .exposed(path: secret, reason: "it has a second name"))
    try FileManager.default.removeItem(atPath: secret)
    try FileManager.default.createSymbolicLink(atPath: secret, withDestinationPath: aside)
    guard case .system = refusal({ _ = try self.open() }) else { Issue.record("a link was followed"); return }
    try FileManager.default.removeItem(atPath: secret)
    try #require(mkfifo(secret, 0o600) == 0)
    #expect(refusal { _ = try self.open() } == .exposed(path: secret, reason: "it is not a regular file"))
    try FileManager.default.removeItem(atPath: secret)
    try FileManager.default.moveItem(atPath: aside, toPath: secret)
    #expect(try open().store.readingKey(for: try World.object(1), under: key.id, of: World.anna).id == key.id)
    if getuid() == 0 {
      try #require(chown(secret, 65_534, 65_534) == 0)
      #expect(refusal { _ = try self.open() } == .exposed(path: secret, reason: "it belongs to another user"))
    }
  }

  /// A link in the place of a file that is overwritten and removed: the file that it leads to stays as it is.
  @Test func linksAreNotFollowedByErasing() throws {
    let (target, link, folder) = (state + "/target", state + "/link", state + "/folder")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: target))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    let disk = FileKeyDisk()
    #expect(refusal { try disk.overwrite(link) } != nil)
    #expect(refusal { try disk.create(link, [4]) } != nil)
    try disk.remove(link)
    #expect(refusal { try disk.remove(link) } != nil)
    #expect(FileManager.default.contents(atPath: target) == Data([1, 2, 3]))
    try disk.makeDirectory(folder)
    try disk.create(folder + "/file", [5])
    #expect(refusal { try disk.remove(folder) } != nil, "a directory that is not empty")
    try disk.remove(folder + "/file")
    try disk.remove(folder)
    #expect(try disk.names(in: folder) == nil)
    #expect(try disk.bytes(at: folder, maximum: 1) == nil)
  }

  @Test func aCredentialIsTakenAsItIs() throws {
    #expect(try KeySecret.credential(in: state) == nil)
    #expect(try KeySecret.credential(in: state + "/nowhere") == nil)
    let path = state + "/" + KeySecret.credential
    for count in [0, 31, 4_097] {
      try Data([UInt8](repeating: 1, count: count)).write(to: URL(fileURLWithPath: path))
      guard case .secret = refusal({ _ = try KeySecret.credential(in: self.state) }) else {
        Issue.record("\(count) bytes")
        continue
      }
    }
    for count in [32, 4_096] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(try KeySecret.credential(in: state)?.array == bytes)
    }
    let credential = try KeySecret.credential(in: state)
    let key = try open(credential).store.writingKey(for: try World.object(1), of: World.anna)
    #expect(!FileManager.default.fileExists(atPath: state + "/keys.secret"))
    let read = try open(credential).store.readingKey(for: try World.object(1), under: key.id, of: World.anna)
    #expect(read.bytes.isEqual(to: key.bytes))
  }
}
