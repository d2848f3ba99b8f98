internal import Glibc
internal import Platform
internal import PolicyFiles
internal import PolicyTools
internal import WebViewGuardSealing

/// One file on its way through `seal` or `unseal`: what is read, and the file that appears when all went well.
final class SealingCopy {
  private static let piece = 1 << 18

  private let path: String
  /// The descriptor that is read.
  let input: Int32
  /// Keeps it open; nil for standard input.
  private let file: OpenFile?
  /// At the beginning; nil for standard input.
  private let status: FileStatus?
  private let output: WholeFile?
  /// Bytes that were read already.
  private var begun: [UInt8] = []

  /// Opens both; nothing is changed before `finish`.
  init(_ path: String, _ target: SealingTarget) throws {
    self.path = path
    guard path != "-" else {
      input = 0
      file = nil
      status = nil
      output = try Self.output(target.output ?? "-", target, mode: 0o666)
      return
    }
    let opened = try OpenFile.streaming(path)
    let status = opened.status
    self.status = status
    input = opened.descriptor
    file = .some(opened)
    if status?.kind == .directory { throw CommandFailure("`\(path.escapedForDisplay)` is a directory") }
    guard let name = target.output else {
      guard status?.kind == .regular else {
        throw CommandFailure("`\(path.escapedForDisplay)` is no regular file; say with `-o` where the result goes")
      }
      output = try WholeFile(at: path, .replacing)
      return
    }
    let mode = status?.kind == .regular ? (status?.mode ?? 0) & 0o777 : 0o666
    output = try Self.output(name, target, mode: mode)
  }

  private static func output(_ name: String, _ target: SealingTarget, mode: UInt32) throws -> WholeFile? {
    guard name != "-" else { return nil }
    do throws(SystemError) {
      return try WholeFile(at: name, target.force ? .replacing : .creating, mode: mode)
    } catch {
      guard error.number == EEXIST else { throw error }
      throw CommandFailure("`\(name.escapedForDisplay)` exists; `--force` replaces it")
    }
  }

  /// It can be read at any place.
  var isRegular: Bool { status?.kind == .regular }

  /// A file with several names keeps its content under all but one.
  func refuseOtherNames(unless isForced: Bool) throws {
    guard !isForced, let output, let status, output.old?.identity == status.identity, status.names > 1 else { return }
    throw CommandFailure(
      "`\(path.escapedForDisplay)` has \(status.names) names (hard links), and under the others the data would stay as it "
        + "is; `-o` writes another file, `--force` seals this one nevertheless")
  }

  /// What is sealed already is hardly meant to be sealed again.
  func refuseEnvelope(unless isForced: Bool) throws {
    begun = try next()
    guard !isForced, !begun.isEmpty, try ProtectionInfo(of: begun) != nil else { return }
    throw SealingRefusal("`\(path.escapedForDisplay)` has an owner already; `--force` seals it once more")
  }

  /// Hands everything over that is read, the bytes that were read already among it.
  func readAll(_ take: ByteSink) throws {
    var piece = begun
    begun = []
    while !piece.isEmpty {
      try take(piece.span)
      guard piece.count == Self.piece else { return }
      piece = try next()
    }
  }

  private func next() throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.piece) { room, count in
      let filled = Stream.fill(UnsafeMutableRawBufferPointer(room), from: input)
      if filled < 0 { failure = SystemError("read", path) }
      count = max(0, filled)
    }
    if let failure { throw failure }
    return bytes
  }

  func write(_ bytes: Span<UInt8>) throws(SystemError) {
    if let output { return try output.write(bytes) }
    guard Stream.write(bytes, to: 1) else { throw SystemError("write", "standard output") }
  }

  /// Writes what is sealed in the file.
  nonisolated(nonsending) func unseal(by sealing: Sealing) async throws {
    if isRegular {
      try await sealing.reader(descriptor: input).readAll { try self.write($0) }
    } else {
      try await sealing.stream(descriptor: input, demanded: true) { try self.write($0) }
    }
    try finish()
  }

  /// Lets the result appear, if what was read is still what is there.
  func finish() throws {
    if isRegular, FileStatus(descriptor: input) != status {
      throw CommandFailure("`\(path.escapedForDisplay)` changed while it was read; nothing was written")
    }
    try output?.commit()
  }
}

/// A negative finding: the program ends with 1.
struct SealingRefusal: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
