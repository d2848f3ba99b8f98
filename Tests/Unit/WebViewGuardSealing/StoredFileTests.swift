import Foundation
import GuardModel
import Platform
import Synchronization
import TestSupport
import Testing
import WebViewGuardClient
import WebViewGuardSealing

/// Files of the organisation and private ones, with a daemon that says whose they are.
@Suite final class StoredFileTests {
  private let directory = "/tmp/wvg-files-\(UInt32.random(in: 0 ... .max))"
  private let daemon: FakeDaemon
  private let guardian: GuardClient
  /// The daemon's replies by the last word of the method; other calls are refused with `NotManaged`.
  private let replies = Replies()
  private let data = Array("the organisation's figures".utf8)

  private static let work = "work@contoso.com"
  private static let label = "user.webviewguard.owner"

  private final class Replies: Sendable {
    private let texts = Mutex<[String: String]>([:])

    subscript(method: String) -> String? {
      get { texts.withLock { $0[method] } }
      set { texts.withLock { $0[method] = newValue } }
    }
  }

  init() throws {
    try FileManager.default.createDirectory(atPath: directory + "/files", withIntermediateDirectories: true)
    let times = #""startMs":60000,"answerMs":60000,"navigation":"closed","clipboard":"closed","other":"closed""#
    try Data("{\(times)}".utf8).write(to: URL(filePath: directory + "/contract.json"))
    chmod(directory + "/contract.json", 0o644)
    let contract = #"{"instance":"T","app":"a","features":[],"generation":1,"digest":"d","contract":{\#(times)}}"#
    replies["Attach"] = contract
    let replies = replies
    daemon = try FakeDaemon(at: directory + "/guard.sock") { heard in
      let method = ValueReader.read(heard.frame[...])?["method"]?.string?.split(separator: ".").last.map(String.init)
      if let text = replies[method ?? ""] { return .text(#"{"parameters":\#(text)}"#) }
      return .text(#"{"error":"org.webviewguard.Guard.NotManaged","parameters":{}}"#)
    }
    guardian = GuardClient(.init(app: "a", socketPath: directory + "/guard.sock"))
    isManaged(encrypting: true)
  }

  deinit {
    guardian.close()
    daemon.stop()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The daemon says of everything that it belongs to the work account.
  private func isManaged(encrypting: Bool, way: String = "envelope") {
    let owner = #""standing":"mine","owner":"\#(Self.work)","mustEncrypt":\#(encrypting)"#
    replies["FileCreated"] = #"{\#(owner),"label":"0102ff","mustSeal":false}"#
    replies["SetOwner"] = replies["FileCreated"]
    replies["ReadLabel"] = "{\(owner)}"
    let account = #"{"account":"\#(Self.work)","state":"enrolled","managed":true,"sources":[],"encryption":"\#(way)"}"#
    replies["List"] = #"{"accounts":[\#(account)]}"#
    let (key, id) = (String(repeating: "ab", count: 32), String(repeating: "cd", count: 16))
    replies["DataKey"] = #"{"key":"\#(key)","keyId":"\#(id)","accountId":"\#(id)"}"#
  }

  private func isPrivate() {
    replies["FileCreated"] = #"{"standing":"unmanaged","mustEncrypt":false,"mustSeal":false}"#
    replies["SetOwner"] = replies["FileCreated"]
  }

  private func path(_ name: String) -> String { directory + "/files/" + name }
  private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
  private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path("")).sorted()) ?? [] }

  private func isSealed(_ path: String) throws -> Bool { try ProtectionInfo(of: bytes(path))?.isSealed ?? false }

  private func code(_ body: () async throws -> Void) async -> Int? {
    do { try await body() } catch let error as FileProtectionError { return error.code.rawValue } catch {}
    return nil
  }

  @Test func aFileIsLabelledBeforeItsFirstByte() async throws {
    try Data("old and private".utf8).write(to: URL(filePath: path("report")))
    let guardian = guardian
    var seen: String?
    let owner = try await guardian.files.create(path("report")) { descriptor in
      #expect(lseek(descriptor, 0, SEEK_END) == 0)
      seen = self.path("report")
      _ = write(descriptor, self.data, self.data.count)
    }
    #expect(owner.account == Self.work && owner.isManaged && seen != nil)
    #expect(try await guardian.files.facts(path("report")).label == "0102ff")
    #expect(try bytes(path("report")) == data)
    // Private again: the label goes.
    isPrivate()
    try await guardian.files.create(path("report")) { _ in }
    #expect(try await guardian.files.facts(path("report")).label == nil)
  }

  @Test func nothingIsCreatedWhereNobodySaysWhose() async throws {
    replies["FileCreated"] = nil
    #expect(await code { try await guardian.files.create(path("report")) { _ in } } == 106)
    #expect(await code { try await guardian.files.createDirectory(path("folder")) } == 106)
    #expect(await code { try await guardian.files.save(path("report")) { _ in } } == 106)
    replies["FileCreated"] = #"{"standing":"mine","owner":"a","mustEncrypt":true,"mustSeal":true}"#
    #expect(await code { try await guardian.files.create(path("report")) { _ in } } == 102)
    #expect(names == [])
    try Data(data).write(to: URL(filePath: path("old")))
    #expect(await code { try await guardian.files.create(path("old")) { _ in } } == 102)
    #expect(try bytes(path("old")) == data)
    #expect(await code { _ = try await guardian.files.getOwner(path("nothing")) } == 104)
    #expect(try await guardian.files.protectionInfo(path("nothing")) == nil)
  }

  @Test func aSavedFileIsSealedUnlessThePolicyLeavesItPlain() async throws {
    let data = data
    try await guardian.files.save(path("report")) { try $0.write(data.span) }
    #expect(try isSealed(path("report")))
    #expect(try await guardian.files.facts(path("report")).label == "0102ff")
    isManaged(encrypting: false)
    replies["FileCreated"] = replies["FileCreated"]?.replacing("0102ff", with: "07")
    try await guardian.files.save(path("report")) { try $0.write(data.span) }
    // Neither the content nor the label of the old one is left.
    #expect(try bytes(path("report")) == data)
    #expect(try await guardian.files.facts(path("report")).label == "07")
    await #expect(throws: FileProtectionError.self) {
      try await self.guardian.files.save(self.path("report")) { _ in throw TestFailure("half way") }
    }
    #expect(try bytes(path("report")) == data)
    #expect(names == ["report"])
  }

  @Test func noWordOfADirectoryOrAVolumeIsBelieved() async throws {
    let data = data
    for way in ["volume", "fscrypt", "gocryptfs", "somethingNew"] {
      isManaged(encrypting: true, way: way)
      replies["OpenDirectory"] = #"{"state":"open","path":"\#(path(""))"}"#
      try await guardian.files.save(path(way)) { try $0.write(data.span) }
      // The temporary directory of a test lies on an encrypted disk on some machines.
      #expect(try isSealed(path(way)) || VolumeIsEncrypted.word(directory), "\(way)")
    }
  }

  @Test func anEngineWritesWhereNobodyElseMayEnter() async throws {
    let incoming = try await guardian.files.incoming(path("plan.bin"), account: Self.work)
    #expect(incoming.isSealed && incoming.path != path("plan.bin") && names == [])
    try Data(data).write(to: URL(filePath: incoming.path))
    try await incoming.keep()
    #expect(try isSealed(path("plan.bin")))
    #expect(!FileManager.default.fileExists(atPath: incoming.path))
    let broken = try await guardian.files.incoming(path("broken.bin"), account: Self.work)
    try Data(data).write(to: URL(filePath: broken.path))
    broken.discard()
    #expect(names == ["plan.bin"] && !FileManager.default.fileExists(atPath: broken.path))
    let readable = try await guardian.files.readable(path("plan.bin"))
    #expect(readable.isSealed && readable.facts.label == "0102ff")
    let copy = try await readable.path()
    #expect(try bytes(copy) == data)
    readable.close()
    #expect(!FileManager.default.fileExists(atPath: copy))
    isPrivate()
    let own = try await guardian.files.incoming(path("own.bin"), account: nil)
    #expect(own.path == path("own.bin") && !own.isSealed)
  }

  @Test func aSealedFileThatLostItsLabelHasOneForTheDaemon() async throws {
    let data = data
    try await guardian.files.save(path("report")) { try $0.write(data.span) }
    try Data(try bytes(path("report"))).write(to: URL(filePath: path("copy")))
    #expect(try await guardian.files.facts(path("copy")).label == nil)
    #expect(try await guardian.files.readable(path("copy")).facts.label == "0102ff")
    // Nobody can say whose it is: a label that nobody can read lets it go nowhere.
    replies["List"] = #"{"accounts":[]}"#
    #expect(try await guardian.files.readable(path("copy")).facts.label == "")
  }

  @Test func anOwnerIsGivenAndNotTaken() async throws {
    try Data(data).write(to: URL(filePath: path("report")))
    #expect(try await guardian.files.setOwner(path("report"), account: Self.work).account == Self.work)
    #expect(try await guardian.files.facts(path("report")).label == "0102ff")
    isPrivate()
    #expect(await code { try await guardian.files.setOwner(path("report"), account: "me@example.org") } == 106)
    #expect(try await guardian.files.setOwner(path("report"), account: "").isManaged == false)
  }

  @Test func aFileThatArrivedGoesIntoTheDirectoryOfItsAccount() async throws {
    isManaged(encrypting: true, way: "gocryptfs")
    try FileManager.default.createDirectory(atPath: directory + "/vault", withIntermediateDirectories: true)
    replies["OpenDirectory"] = #"{"state":"open","path":"\#(directory)/vault"}"#
    let names = [
      ("plan.pdf", "plan.pdf"), ("plan.pdf", "plan (1).pdf"), ("plan.pdf", "plan (2).pdf"),
      ("cod\u{202E}gpj.exe", "cod_gpj.exe"),
    ]
    for (arriving, name) in names {
      try Data(data).write(to: URL(filePath: path(arriving)))
      let arrived = try await guardian.files.arrived(path(arriving), account: Self.work)
      guard case .stored(let found, _) = arrived else { throw TestFailure("\(arrived)") }
      #expect(found.hasSuffix("/vault/" + name))
      #expect(self.names == [])
    }
    // Without the directory it is sealed where it lies.
    replies["OpenDirectory"] = #"{"state":"opening"}"#
    try Data(data).write(to: URL(filePath: path("plan.pdf")))
    _ = try await guardian.files.arrived(path("plan.pdf"), account: Self.work)
    #expect(try isSealed(path("plan.pdf")))
  }
}

/// Whether this machine's own disk is encrypted, by the program that says so.
private enum VolumeIsEncrypted {
  static func word(_ path: String) -> Bool { VolumeEncryption.ofPlace(path).isCertain }
}
