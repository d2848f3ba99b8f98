/// Opens an envelope that has only a beginning, such as a pipe.
enum SealedStream {
  private static let piece = 1 << Int(SealedFormat.exponent)

  /// Hands the data over piece by piece; data that is no envelope unchanged, or error 104 when an envelope is demanded.
  nonisolated(nonsending) static func read(
    _ input: SealedInput, _ keys: KeySource, demanded: Bool, to put: ByteSink
  ) async throws -> ProtectionInfo? {
    let start = try input.start(SealedFormat.longestHeader)
    switch try DataHeader(start) {
    case .sealed(let header):
      try await open(header, start, input, keys, put)
      return header.info
    case .unmanaged(let account, let length):
      try copy(start[length...], input, put)
      return .unmanaged(account: account)
    case .foreign:
      guard !demanded else { throw SealingError(.notProtected, nil, "it is no envelope") }
      try copy(start[...], input, put)
      return nil
    }
  }

  private static func copy(_ start: ArraySlice<UInt8>, _ input: SealedInput, _ put: ByteSink) throws {
    if !start.isEmpty { try put(Array(start).span) }
    let room = ContentBuffer(piece)
    while true {
      let count = try input.next(into: room.bytes)
      if count > 0 { try put(room.first(count).bindMemory(to: UInt8.self).span) }
      if count < piece { return }
    }
  }

  /// A chunk is the last one when nothing follows it: one byte more than a chunk is read before it is opened.
  private nonisolated(nonsending) static func open(
    _ header: SealedHeader, _ start: [UInt8], _ input: SealedInput, _ keys: KeySource, _ put: ByteSink
  ) async throws {
    let chunks = try await SealedChunks.opening(header, keys)
    let unit = header.chunk + SealedFormat.tag
    let (held, data) = (ContentBuffer(unit + 1), ContentBuffer(header.chunk))
    let begun = start.count - SealedFormat.header
    held.first(begun).copyBytes(from: start[SealedFormat.header...])
    var count = begun + (try input.next(into: held[begun..<unit + 1]))
    var number = 0
    while count > unit {
      try chunks.open(
        UnsafeRawBufferPointer(held.first(unit)), number: number, isLast: false, into: data.first(header.chunk))
      try put(data.first(header.chunk).bindMemory(to: UInt8.self).span)
      number += 1
      _ = try header.chunks(in: number * unit + SealedFormat.tag + 1)
      held.bytes[0] = held.bytes[unit]
      count = 1 + (try input.next(into: held[1..<unit + 1]))
    }
    _ = try header.chunks(in: number * unit + count)
    let last = data.first(count - SealedFormat.tag)
    try chunks.open(UnsafeRawBufferPointer(held.first(count)), number: number, isLast: true, into: last)
    try put(last.bindMemory(to: UInt8.self).span)
  }
}
