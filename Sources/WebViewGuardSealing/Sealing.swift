internal import Platform
public import WebViewGuardClient

/// Seals data so that only a program of an account that may work can read it, and opens it again. A wipe of the account makes
/// every copy unreadable. docs/sealed-data.md has the format, and what it protects against.
///
///     let sealed = try await guardian.sealing.protect(data, account: "work@contoso.com")
///     let data = try await guardian.sealing.unprotect(sealed)
///
/// Keys come from a source, which is asked once for each object; `guardian.sealing` asks the daemon. Errors are
/// `SealingError`; those of a closure of the caller come through.
public struct Sealing: Sendable {
  private let keys: KeySource

  /// Another source than the daemon.
  public init(keys: @escaping KeySource) { self.keys = keys }
}

extension GuardClient {
  /// Sealed data with keys of the daemon.
  public var sealing: Sealing { Sealing(keys: accounts.source) }
}

/// In memory.
extension Sealing {
  /// The data as an envelope: sealed, or for an account that is not managed with a header that names it. Error 105 for no
  /// data.
  public nonisolated(nonsending) func protect(
    _ data: [UInt8], account: String
  ) async throws(SealingError) -> [UInt8] {
    guard !data.isEmpty else { throw SealingError(.emptyData) }
    return try await sealed(data, account)
  }

  /// The data of an envelope. Bytes that are none come back unchanged; a damaged one is error 103.
  public nonisolated(nonsending) func unprotect(_ data: [UInt8]) async throws(SealingError) -> [UInt8] {
    switch try DataHeader(Array(data.prefix(SealedFormat.longestHeader))) {
    case .foreign: return data
    case .unmanaged(_, let length): return Array(data[length...])
    case .sealed:
      let reader = try await SealedReader.open(SealedInput(data), keys)
      return try reader.read(at: 0, count: reader.size)
    }
  }

  /// As `protect`, in base64.
  public nonisolated(nonsending) func protectText(
    _ text: String, account: String
  ) async throws(SealingError) -> String {
    SealedText.text(try await protect(Array(text.utf8), account: account))
  }

  /// As `unprotect`, of base64; other text comes back unchanged.
  public nonisolated(nonsending) func unprotectText(_ text: String) async throws(SealingError) -> String {
    guard let envelope = try SealedText.envelope(text) else { return text }
    let data = try await unprotect(envelope)
    guard let found = String(validating: data, as: UTF8.self) else { throw .damaged("it holds no text") }
    return found
  }

  /// - Parameters:
  ///   - object: an id that is known, for vectors alone; it must never come twice.
  ///   - exponent: of the chunks' size.
  package nonisolated(nonsending) func sealed(
    _ data: [UInt8], _ account: String, object: [UInt8]? = nil, exponent: UInt8? = nil, step: Int = .max
  ) async throws(SealingError) -> [UInt8] {
    var envelope: [UInt8] = []
    envelope.reserveCapacity(SealedFormat.longestHeader + data.count + data.count / 4096 * SealedFormat.tag)
    do {
      let object = try await NewObject(
        account: account, keys, id: object, exponent: exponent ?? SealedFormat.exponent)
      let writer = try SealedWriter(object) { piece in piece.withUnsafeBufferPointer { envelope += $0 } }
      var place = 0
      while place < data.count {
        let count = min(step, data.count - place)
        try writer.write(data.span.extracting(place..<place + count))
        place += count
      }
      try writer.finish()
    } catch let error as SealingError {
      throw error
    } catch {
      throw SealingError(.encryptFailed, nil, "\(error)")
    }
    return envelope
  }
}

/// Of any size, in constant memory.
extension Sealing {
  /// Seals what is written, and hands the envelope over piece by piece. The writer's `finish` completes it.
  public nonisolated(nonsending) func writer(
    account: String, to put: @escaping ByteSink
  ) async throws -> SealedWriter {
    try SealedWriter(try await NewObject(account: account, keys), to: put)
  }

  /// Seals what is written into a descriptor, which stays open.
  public nonisolated(nonsending) func writer(account: String, descriptor: Int32) async throws -> SealedWriter {
    try await writer(account: account) { piece in
      guard Stream.write(piece, to: descriptor) else {
        throw SealingError.system(.encryptFailed, SystemError("write", "the envelope"))
      }
    }
  }

  /// Makes a sealed file, which takes the place of an old one when the closure has ended without an error: with its
  /// permissions; where the path is a link, the file that it leads to is replaced. A reader finds the old one or the new
  /// one.
  public nonisolated(nonsending) func create(
    _ path: String, account: String, _ fill: (SealedWriter) throws -> Void
  ) async throws {
    do {
      let file = try WholeFile(at: path, .replacing)
      let writer = try await writer(account: account) { try file.write($0) }
      try fill(writer)
      if !writer.isFinished { try writer.finish() }
      try file.commit()
    } catch let error as SystemError {
      throw SealingError.system(.encryptFailed, error)
    }
  }

  /// A sealed file to read at any place. Error 104 for one that is no envelope.
  public nonisolated(nonsending) func open(_ path: String) async throws(SealingError) -> SealedReader {
    try await SealedReader.open(SealedInput(opening: path), keys)
  }

  /// As `open`, of a descriptor, which stays open.
  public nonisolated(nonsending) func reader(descriptor: Int32) async throws(SealingError) -> SealedReader {
    try await SealedReader.open(SealedInput(descriptor: descriptor), keys)
  }

  /// Reads a pipe, or anything that has only a beginning, and hands the data over piece by piece; data that is no envelope
  /// comes unchanged. Do not act on it before this has returned: only then it is certain that nothing is missing.
  ///
  /// - Parameter demanded: data that is no envelope is error 104.
  /// - Returns: whose data it is; nil for data that is no envelope.
  @discardableResult
  public nonisolated(nonsending) func stream(
    descriptor: Int32, demanded: Bool = false, to put: ByteSink
  ) async throws -> ProtectionInfo? {
    try await SealedStream.read(SealedInput(descriptor: descriptor), keys, demanded: demanded, to: put)
  }
}
