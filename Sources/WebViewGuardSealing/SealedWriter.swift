internal import Bytes
internal import Secrets

/// Takes bytes of an envelope, or of data that was opened. The span lives as long as the call.
public typealias ByteSink = (Span<UInt8>) throws -> Void

/// Seals what is written, in the memory of two chunks.
///
///     let writer = try await guardian.sealing.writer(account: "work@contoso.com") { piece in … }
///     try writer.write(data.span)
///     try writer.finish()
///
/// Without `finish` the envelope is damaged, as it should be when somebody stopped half way. Any error ends it. One task or
/// thread at a time.
public final class SealedWriter {
  private let put: ByteSink
  /// Nil where the data stays as it is.
  private var chunks: SealedChunks?
  private let chunk: Int
  /// One chunk is held back until it is known whether it is the last.
  private let held: ContentBuffer
  private let sealed: ContentBuffer
  private var heldCount = 0
  private var number = 0
  private var length = 0
  private var isOver = false
  /// The envelope is whole.
  public private(set) var isFinished = false

  /// Writes the header.
  init(_ object: NewObject, to put: @escaping ByteSink) throws {
    self.put = put
    chunk = 1 << Int(object.exponent)
    let room = object.key == nil ? 0 : chunk
    (held, sealed) = (ContentBuffer(room), ContentBuffer(room + SealedFormat.tag))
    guard let key = object.key else {
      try put(SealedFormat.unmanagedHeader(object.name).span)
      return
    }
    let (chunks, header) = SealedChunks.sealing(key, object: object.id, exponent: object.exponent)
    self.chunks = chunks
    try put(header.span)
  }

  /// Takes all of it.
  public func write(_ data: borrowing Span<UInt8>) throws {
    guard !isOver else { throw SealingError(.invalidArguments, nil, "it has ended") }
    // An error ends it: a second try would seal other data under the number of a chunk that was written before.
    isOver = true
    length += data.count
    guard length <= SealedFormat.longestData else { throw SealingError(.encryptFailed, .tooLong) }
    if let chunks {
      try data.withUnsafeBytes { try take($0, chunks) }
    } else {
      try data.withUnsafeBytes { try put($0.bindMemory(to: UInt8.self).span) }
    }
    isOver = false
  }

  /// Writes what was held back. Where it goes stays open.
  public func finish() throws {
    guard !isOver else { throw SealingError(.invalidArguments, nil, "it has ended") }
    isOver = true
    if let chunks { try seal(UnsafeRawBufferPointer(held.first(heldCount)), isLast: true, chunks) }
    isFinished = true
  }

  private func take(_ data: UnsafeRawBufferPointer, _ chunks: SealedChunks) throws {
    var place = hold(data, from: 0)
    guard place < data.count else { return }
    try seal(UnsafeRawBufferPointer(held.bytes), isLast: false, chunks)
    heldCount = 0
    while data.count - place > chunk {
      try seal(UnsafeRawBufferPointer(rebasing: data[place..<place + chunk]), isLast: false, chunks)
      place += chunk
    }
    _ = hold(data, from: place)
  }

  /// Holds back as much as there is room for; returns the place of the rest.
  private func hold(_ data: UnsafeRawBufferPointer, from place: Int) -> Int {
    let count = min(chunk - heldCount, data.count - place)
    held[heldCount..<heldCount + count].copyMemory(from: UnsafeRawBufferPointer(rebasing: data[place..<place + count]))
    heldCount += count
    return place + count
  }

  private func seal(_ data: UnsafeRawBufferPointer, isLast: Bool, _ chunks: SealedChunks) throws {
    let room = sealed.first(data.count + SealedFormat.tag)
    chunks.seal(data, number: number, isLast: isLast, into: room)
    number += 1
    try put(room.bindMemory(to: UInt8.self).span)
  }
}

/// An object that is written, with its key.
struct NewObject: Sendable {
  let id: [UInt8]
  /// Of the account.
  let name: [UInt8]
  let exponent: UInt8
  /// Nil where the data stays as it is.
  let key: ObjectKey?

  /// Asks for the key. `id` and `exponent` are for vectors alone: an id must never come twice.
  nonisolated(nonsending) init(
    account: String, _ keys: KeySource, id: [UInt8]? = nil, exponent: UInt8 = SealedFormat.exponent
  ) async throws(SealingError) {
    name = try SealedFormat.name(account)
    let object = id ?? SecretBytes.random(32).withBytes { Array($0) }
    (self.id, self.exponent) = (object, exponent)
    let request = KeyRequest(use: .write, account: account, objectID: String(lowerCaseHex: object.span), keyID: nil)
    key = name.isEmpty ? nil : try await keys(request)
  }
}
