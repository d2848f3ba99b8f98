internal import JSONText

/// Reads the calls that come in on one socket, one frame at a time. It keeps its buffers.
///
///     var decoder = RequestDecoder(serving: .guardSocket)
///     switch decoder.decode(#"{"method":"org.webviewguard.Guard.WhoAmI"}"#.utf8.span) { … }
package struct RequestDecoder: ~Copyable {
  private var parser: JSONParser
  private let served: InterfaceSet

  package init(serving served: InterfaceSet, maximumLength: Int = FrameSplitter.defaultMaximumLength) {
    parser = JSONParser(maximumLength: maximumLength)
    self.served = served
  }

  /// What the frame is; it comes without its NUL.
  @_lifetime(&self)
  package mutating func decode(_ frame: Span<UInt8>) -> Incoming {
    let served = served
    let root: JSONValue
    do throws(JSONError) {
      root = try parser.parse(frame)
    } catch {
      return .unreadable(.notJSON(error))
    }
    guard root.kind == .object else { return .unreadable(.notAMessage) }
    let envelope = Envelope(root)
    do throws(ServiceError) {
      let method = try envelope.method(of: root, in: served)
      return .request(
        Request(
          method: method, wantsMore: envelope.more, isOneway: envelope.oneway, parameters: root["parameters"]))
    } catch {
      return .refused(error, isOneway: envelope.oneway)
    }
  }
}

/// The flags of a call (varlink.org, "Method Call"), and what is wrong with its outermost members.
private struct Envelope {
  private(set) var more = false
  private(set) var oneway = false
  private var upgrade = false
  private var error: ServiceError?

  private enum Key: String, CaseIterable, Sendable {
    case method
    case parameters
    case more
    case oneway
    case upgrade

    static let byName = NameTable(words: Key.self)
  }

  /// Reads all members even after an error: `oneway` says whether an error may be answered.
  init(_ root: JSONValue) {
    var members = root.members
    while let member = members.next() {
      switch Key.byName[member.key] {
      case .more: more = flag(member.value, .more)
      case .oneway: oneway = flag(member.value, .oneway)
      case .upgrade: upgrade = flag(member.value, .upgrade)
      case .method: if member.value.kind != .string { note("method") }
      case .parameters: if member.value.kind != .object, !member.value.isNull { note("parameters") }
      case nil: note(shortened(member.key))
      }
    }
  }

  /// The method, when nothing is wrong with the call around it.
  func method(of root: JSONValue, in served: InterfaceSet) throws(ServiceError) -> Method {
    if let error { throw error }
    guard let name = root["method"]?.stringBytes else { throw .invalidParameter("method") }
    let method = try Method.find(name, in: served)
    // A caller that sets both, or wants another protocol afterwards, would wait for what never comes.
    if more && oneway { throw .invalidParameter("more") }
    if upgrade { throw .invalidParameter("upgrade") }
    if method.needsMore && !more { throw .expectedMore }
    return method
  }

  private mutating func flag(_ value: JSONValue, _ key: Key) -> Bool {
    if value.bool == nil, !value.isNull { note(key.rawValue) }
    return value.bool ?? false
  }

  private mutating func note(_ parameter: String) {
    if error == nil { error = .invalidParameter(parameter) }
  }
}

/// Finds the frames in a growing buffer: each ends with a NUL.
///
///     var splitter = FrameSplitter()
///     splitter.next(in: "{}\0{".utf8.span)    // .frame(0..<2)
///     splitter.next(in: "{}\0{".utf8.span)    // .incomplete
///     splitter.discard()                      // 3: that many bytes at the front of the buffer are done with
///
/// Bytes are looked at once, however small the pieces in which they arrive, so that a client that sends one byte at a
/// time costs no more than another. A frame over the maximum is noticed before it ends, and nothing after it is trusted.
package struct FrameSplitter: Sendable {
  package enum Step: Sendable, Hashable {
    /// A whole frame: where it lies in the buffer, without its NUL.
    case frame(Range<Int>)
    /// The buffer holds no further whole frame.
    case incomplete
    /// A frame is longer than the maximum. The place of the next one is unknown: close the connection.
    case tooLong
  }

  /// The longest frame unless another maximum is given, in bytes without the NUL: 512 KiB (architecture, section 9).
  package static let defaultMaximumLength = 512 * 1024

  package let maximumLength: Int
  /// Where the frame begins that has not ended yet.
  private var start = 0
  /// Up to here there is no NUL behind `start`.
  private var scanned = 0
  private var isLost = false

  package init(maximumLength: Int = FrameSplitter.defaultMaximumLength) {
    self.maximumLength = max(maximumLength, 0)
  }

  /// Whether a frame began and has not ended, in the bytes that `next` saw.
  package var isInsideFrame: Bool { scanned > start }

  /// The next frame in the buffer. It holds what it held at the last call, and perhaps more behind it.
  package mutating func next(in buffer: Span<UInt8>) -> Step {
    if isLost { return .tooLong }
    let end = min(buffer.count, start + maximumLength + 1)
    guard let terminator = firstNUL(in: buffer, from: scanned, to: end) else {
      scanned = max(scanned, end)
      isLost = scanned - start > maximumLength
      return isLost ? .tooLong : .incomplete
    }
    let frame = start..<terminator
    start = terminator + 1
    scanned = start
    return .frame(frame)
  }

  /// How many bytes at the front of the buffer belong to frames that were given. The caller must drop exactly these.
  package mutating func discard() -> Int {
    let count = start
    scanned -= start
    start = 0
    return count
  }
}

/// 32 bytes at a time, then eight, after "Bit Twiddling Hacks", "Determine if a word has a zero byte".
private func firstNUL(in buffer: Span<UInt8>, from start: Int, to end: Int) -> Int? {
  let words = buffer.bytes
  var index = start
  while index + 32 <= end {
    let first = marks(in: words, at: index) | marks(in: words, at: index + 8)
    guard first | marks(in: words, at: index + 16) | marks(in: words, at: index + 24) == 0 else { break }
    index += 32
  }
  while index + 8 <= end {
    let marks = marks(in: words, at: index)
    if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < end {
    if buffer[index] == 0 { return index }
    index += 1
  }
  return nil
}

/// The high bit of each byte that is NUL; one above the lowest may be marked wrongly.
private func marks(in words: RawSpan, at index: Int) -> UInt64 {
  let word = UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  return (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}
