import CAllocationCounter
import Foundation
import TestSupport
import Testing
import WebViewGuardSealing

/// Streams and files of any size.
@Suite struct SealedFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "wvg-sealed-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }
  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  @Test func readsAtAnyPlaceAreThoseOfAPlainFile() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var generator = SeededGenerator()
    for size in [1, 4095, 4096, 4097, 8192, 12_288, 70_000] {
      let data = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      let envelope = try await Vault.sealing.sealed(data, "a", exponent: 12)
      try Data(envelope).write(to: folder.appending(path: "file"))
      let reader = try await Vault.sealing.open(path("file"))
      #expect(reader.size == size && reader.info.isSealed)
      for _ in 0..<100 {
        let place = Int.random(in: 0...size + 10, using: &generator)
        let count = Int.random(in: 0...10_000, using: &generator)
        let wanted = place < size ? Array(data[place..<min(size, place + count)]) : []
        #expect(try reader.read(at: place, count: count) == wanted)
      }
      #expect(throws: SealingError.self) { try reader.read(at: -1, count: 1) }
      #expect(try reader.read(at: .max, count: .max) == [])
    }
  }

  @Test func aFileThatChangesWhileItIsReadIsDamaged() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let data = [UInt8](repeating: 5, count: 20_000)
    let (first, second) = (
      try await Vault.sealing.sealed(data, "a", exponent: 12), try await Vault.sealing.sealed(data, "a", exponent: 12)
    )
    let changes: [[UInt8]] = [
      Array(first.dropLast(5000)), second, first + [0], Array(first.prefix(112) + second.dropFirst(112)),
    ]
    for change in changes {
      try Data(first).write(to: folder.appending(path: "file"))
      let reader = try await Vault.sealing.open(path("file"))
      let handle = try FileHandle(forUpdating: folder.appending(path: "file"))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(change))
      if change.count == first.count + 1 {
        // What follows is nobody's: the length was told before.
        #expect(try reader.read(at: 0, count: 20_000) == data)
      } else {
        #expect(throws: SealingError.self) { try reader.read(at: 0, count: 15_000) }
      }
    }
  }

  @Test func aFileIsReplacedWholeWithItsPermissionsAndLinks() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("old".utf8).write(to: folder.appending(path: "report"))
    chmod(path("report"), 0o640)
    symlink("report", path("link"))
    try await Vault.sealing.create(path("link"), account: "a") { writer in
      for _ in 0..<300 { try writer.write([UInt8](repeating: 1, count: 1000).span) }
    }
    #expect(try names() == ["link", "report"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("link")) == "report")
    let mode = try FileManager.default.attributesOfItem(atPath: path("report"))[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try await Vault.sealing.open(path("report")).size == 300_000)
    #expect(try ProtectionInfo(ofFile: path("report"))?.isSealed == true)
  }

  @Test func aWriterThatStopsChangesNothing() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("old".utf8).write(to: folder.appending(path: "report"))
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await Vault.sealing.create(path("report"), account: "a") { writer in
        try writer.write([UInt8](repeating: 1, count: 100_000).span)
        throw Stop()
      }
    }
    #expect(try names() == ["report"])
    #expect(try String(contentsOfFile: path("report"), encoding: .utf8) == "old")
    await #expect(throws: SealingError.self) {
      try await Vault.sealing.create(path("none/file"), account: "a") { _ in }
    }
    #expect(throws: SealingError.self) { try ProtectionInfo(ofFile: path("nothing")) }
  }

  /// After an error a chunk's number was used up: other data under it would give the key away.
  @Test func aWriterEndsWithItsFirstError() async throws {
    struct Full: Error {}
    var room = 100_000
    let writer = try await Vault.sealing.writer(account: "a") { piece in
      room -= piece.count
      if room < 0 { throw Full() }
    }
    let data = [UInt8](repeating: 1, count: 70_000)
    #expect(throws: Full.self) { for _ in 0..<4 { try writer.write(data.span) } }
    room = .max
    #expect(throws: SealingError.self) { try writer.write(data.span) }
    #expect(throws: SealingError.self) { try writer.finish() }
    #expect(!writer.isFinished)
  }

  @Test(.enabled(if: callocation_counter_works() && !Effort.isReduced)) func aChunkAllocatesNothing() async throws {
    var taken = 0
    let writer = try await Vault.sealing.writer(account: "a") { taken += $0.count }
    let piece = [UInt8](repeating: 3, count: 1 << 18)
    try writer.write(piece.span)
    let before = callocation_counter_count()
    for _ in 0..<100 { try writer.write(piece.span) }
    #expect(callocation_counter_count() == before)
    #expect(taken > 100 << 18)
    let envelope = try await Vault.sealing.sealed(piece, "a")
    let file = try MemoryFile(envelope)
    let reader = try await Vault.sealing.reader(descriptor: file.descriptor)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 8)
    defer { room.deallocate() }
    _ = try reader.read(at: 0, into: room)
    let second = callocation_counter_count()
    for place in 0..<100 { _ = try reader.read(at: 1000 * place, into: room) }
    #expect(callocation_counter_count() == second)
  }
}
