internal import Secrets

/// Reads an envelope at any place, in the memory of two chunks. The last chunk was opened before: the length is true.
///
///     let reader = try await guardian.sealing.open("report.pdf")
///     let piece = try reader.read(at: 1_000_000, count: 4096)
///
/// Of unmanaged data it reads what lies behind the header. Nothing that was not opened is handed over. One task or thread at
/// a time.
public final class SealedReader {
  /// Whose data is: true now for sealed data.
  public let info: ProtectionInfo
  /// The length of the data.
  public let size: Int

  private let input: SealedInput
  /// Nil for unmanaged data.
  private let sealed: SealedPart?
  /// Bytes before unmanaged data.
  private let skipped: Int

  private init(_ info: ProtectionInfo, _ input: SealedInput, _ sealed: SealedPart?, size: Int, skipped: Int) {
    (self.info, self.input, self.sealed, self.size, self.skipped) = (info, input, sealed, size, skipped)
  }

  nonisolated(nonsending) static func open(
    _ input: SealedInput, _ keys: KeySource
  ) async throws(SealingError) -> SealedReader {
    let length = try input.length
    var start = [UInt8](repeating: 0, count: min(length, SealedFormat.longestHeader))
    var span = start.mutableSpan
    try span.withUnsafeMutableBytes { (room) throws(SealingError) in try input.read(0, into: room) }
    switch try DataHeader(start) {
    case .foreign: throw SealingError(.notProtected, nil, "it is no envelope")
    case .unmanaged(let account, let skipped):
      return SealedReader(.unmanaged(account: account), input, nil, size: length - skipped, skipped: skipped)
    case .sealed(let header):
      // Its length is looked at first: a key is asked for what may open.
      let cut = try header.chunks(in: length - SealedFormat.header)
      let sealed = try SealedPart(header, cut, input, try await SealedChunks.opening(header, keys))
      return SealedReader(header.info, input, sealed, size: sealed.size, skipped: 0)
    }
  }

  /// Fills the buffer with the bytes at a place, fewer only at the end; returns their number.
  ///
  /// - Throws: 101 for a place below 0; 103 when a chunk does not open. The buffer is to be thrown away then.
  public func read(at place: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SealingError) -> Int {
    guard place >= 0 else { throw SealingError(.invalidArguments, nil, "there is no such place") }
    let wanted = max(0, min(buffer.count, size - place))
    guard wanted > 0 else { return 0 }
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
    if let sealed { try sealed.read(place, into: room) } else { try input.read(skipped + place, into: room) }
    return wanted
  }

  /// The bytes at a place, fewer only at the end.
  public func read(at place: Int, count: Int) throws(SealingError) -> [UInt8] {
    guard place >= 0, count >= 0 else { throw SealingError(.invalidArguments, nil, "there is no such place") }
    var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - place)))
    var span = bytes.mutableSpan
    _ = try span.withUnsafeMutableBytes { (room) throws(SealingError) in try read(at: place, into: room) }
    return bytes
  }

  /// Hands over all of the data, piece by piece.
  public func readAll(_ put: ByteSink) throws {
    let piece = ContentBuffer(Self.piece)
    var place = 0
    while place < size {
      let room = piece.first(min(Self.piece, size - place))
      place += try read(at: place, into: room)
      try put(room.bindMemory(to: UInt8.self).span)
    }
  }

  private static let piece = 1 << Int(SealedFormat.exponent)
}

/// The chunks behind a header that was checked.
private final class SealedPart {
  let size: Int
  private let input: SealedInput
  private let chunks: SealedChunks
  private let chunk: Int
  private let count: Int
  private let last: Int
  private let raw: ContentBuffer
  /// The chunk that was opened last; -1 for none.
  private let data: ContentBuffer
  private var number = -1

  /// Opens the last chunk: then the length is true.
  init(
    _ header: SealedHeader, _ cut: (count: Int, last: Int), _ input: SealedInput, _ chunks: SealedChunks
  ) throws(SealingError) {
    (count, last) = cut
    chunk = header.chunk
    size = (cut.count - 1) * header.chunk + cut.last - SealedFormat.tag
    (self.input, self.chunks) = (input, chunks)
    (raw, data) = (ContentBuffer(header.chunk + SealedFormat.tag), ContentBuffer(header.chunk))
    try keep(count - 1)
  }

  func read(_ place: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SealingError) {
    var filled = 0
    while filled < buffer.count {
      let (number, within) = (place + filled).quotientAndRemainder(dividingBy: chunk)
      let room = min(buffer.count - filled, length(number) - within)
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + room])
      if number != self.number, room == length(number) {
        try open(number, into: target)
      } else {
        try keep(number)
        target.copyMemory(from: UnsafeRawBufferPointer(data[within..<within + room]))
      }
      filled += room
    }
  }

  /// The bytes of data in a chunk.
  private func length(_ number: Int) -> Int { number == count - 1 ? last - SealedFormat.tag : chunk }

  /// Opens a chunk, unless it is the one that was opened last.
  private func keep(_ number: Int) throws(SealingError) {
    guard number != self.number else { return }
    // The earlier chunk is forgotten first: an error must not leave it under this number.
    self.number = -1
    try open(number, into: data.first(length(number)))
    self.number = number
  }

  private func open(_ number: Int, into target: UnsafeMutableRawBufferPointer) throws(SealingError) {
    let sealed = raw.first(target.count + SealedFormat.tag)
    try input.read(SealedFormat.header + number * (chunk + SealedFormat.tag), into: sealed)
    try chunks.open(UnsafeRawBufferPointer(sealed), number: number, isLast: number == count - 1, into: target)
  }
}
