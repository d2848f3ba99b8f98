internal import CSimdJSON

/// A reusable JSON parser that owns its buffers.
///
///     var parser = JSONParser()
///     let root = try parser.parse(frame)
///     let method = root["method"]?.string
///
/// The bytes are copied into a buffer of the parser's own, so they may change or vanish after the call. Once the
/// buffers have grown to the longest input, parsing allocates nothing. They take about fifteen times the longest input,
/// rounded up to a power of two, and are kept until the parser ends.
///
/// Stricter than RFC 8259 in three places: duplicate keys are refused (section 4 leaves them open, and two readers that
/// pick different ones are an attack), so are integers that 64 bits cannot hold, and escapes of lone surrogates.
///
/// A parsed ``JSONValue`` borrows the parser. The compiler refuses to parse again, or to end the parser, while one is
/// still in use.
package struct JSONParser: ~Copyable, @unchecked Sendable {
  // INVARIANT: `handle` belongs to this value alone. Only `mutating` methods follow it, so access is exclusive.
  private let handle: OpaquePointer?

  /// The longest input in bytes that this parser takes.
  package let maximumLength: Int

  /// The longest input in bytes, unless another maximum is given: 512 KiB.
  ///
  /// An event with a long URL and its ancestors takes a few KiB; a message near this size is no event.
  package static var defaultMaximumLength: Int { 512 * 1024 }

  /// The largest maximum that ``init(maximumLength:)`` takes, in bytes: 256 MiB, which costs 4 GiB of buffers.
  package static var largestMaximumLength: Int { 256 * 1024 * 1024 }

  /// Maximum nesting of objects and arrays: 64. No document of ours nests more than ten.
  package static var maximumDepth: Int { 64 }

  /// A parser for inputs of up to so many bytes, held between 0 and ``largestMaximumLength``.
  package init(maximumLength: Int = JSONParser.defaultMaximumLength) {
    self.maximumLength = min(max(maximumLength, 0), JSONParser.largestMaximumLength)
    handle = csimdjson_create(self.maximumLength, JSONParser.maximumDepth)
  }

  deinit {
    csimdjson_destroy(handle)
  }

  /// The root of the document that the bytes hold.
  ///
  ///     try parser.parse(#"{"a":[1,2]}"#.utf8.span)["a"]?.count   // 2
  ///     try parser.parse(#"{"a":1,"a":2}"#.utf8.span)             // throws JSONError.duplicateKey
  @_lifetime(&self)
  package mutating func parse(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    let document = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in try read(buffer) }
    return value(of: document)
  }

  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> csimdjson_document {
    guard let handle else { throw .outOfMemory }
    guard let start = bytes.baseAddress else { throw .empty }
    var document = csimdjson_document()
    let status = csimdjson_parse(handle, start, bytes.count, &document)
    guard let error = JSONError(status) else { return document }
    if error == .syntax, let end = firstValueEnd(in: bytes.span),
      csimdjson_parse(handle, start, end, &document) == csimdjson_ok
    {
      throw .trailingContent
    }
    throw error
  }

  @_lifetime(&self)
  private mutating func value(of document: csimdjson_document) -> JSONValue {
    let tape = Span(_unsafeStart: document.tape, count: document.tape_count)
    let strings = Span(_unsafeStart: document.strings, count: document.strings_count)
    let root = JSONValue(tape: tape, strings: strings, index: 1)
    return _overrideLifetime(root, mutating: &self)
  }
}

extension JSONError {
  fileprivate init?(_ status: csimdjson_status) {
    switch status {
    case csimdjson_ok: return nil
    case csimdjson_out_of_memory: self = .outOfMemory
    case csimdjson_too_long: self = .tooLong
    case csimdjson_too_deep: self = .tooDeep
    case csimdjson_empty: self = .empty
    case csimdjson_not_utf8: self = .notUTF8
    case csimdjson_bad_string: self = .invalidString
    case csimdjson_bad_number: self = .invalidNumber
    case csimdjson_duplicate_key: self = .duplicateKey
    default: self = .syntax
    }
  }
}

/// Why bytes are not taken as JSON.
///
/// The first error wins; the bytes behind it are not looked at. Nothing of the input is repeated here, so an error can
/// be logged and sent to strangers.
package enum JSONError: Error, Equatable, Hashable, Sendable, CaseIterable {
  /// Nothing, or white space only.
  case empty

  /// More bytes than the parser was made for.
  case tooLong

  /// More than ``JSONParser/maximumDepth`` objects and arrays within each other.
  case tooDeep

  /// The bytes are not UTF-8 (RFC 8259, section 8.1).
  case notUTF8

  /// A string that never ends, holds a raw control character, an unknown escape, or half of a surrogate pair.
  case invalidString

  /// A number that breaks the grammar (`01`, `1.`), or that fits in neither 64 bits nor a double (`1e400`).
  case invalidNumber

  /// An object holds the same key twice, also when the two are escaped differently (`"a"` and `"\u0061"`).
  case duplicateKey

  /// A whole value, and then something that is not white space.
  case trailingContent

  /// Anything else: a comma, colon, quote or bracket that is missing or too many, or an unknown word.
  case syntax

  /// There was no memory for the parser's buffers.
  case outOfMemory
}

extension JSONError: CustomStringConvertible {
  /// A sentence for people.
  ///
  ///     "\(JSONError.duplicateKey)"   // "an object holds the same key twice"
  package var description: String {
    switch self {
    case .empty: "there is no JSON value"
    case .tooLong: "the JSON text is longer than allowed"
    case .tooDeep: "objects and arrays are nested deeper than allowed"
    case .notUTF8: "the JSON text is not valid UTF-8"
    case .invalidString: "a string has no end, holds a raw control character, or a wrong escape"
    case .invalidNumber: "a number is malformed or too large"
    case .duplicateKey: "an object holds the same key twice"
    case .trailingContent: "something follows the end of the JSON value"
    case .syntax: "a comma, colon, quote or bracket is missing or misplaced, or a word is unknown"
    case .outOfMemory: "there is no memory to read the JSON text"
    }
  }
}

/// The end of the first JSON value in the bytes, if something that is not white space follows it.
///
///     firstValueEnd(in: "{} x")     // 2
///     firstValueEnd(in: "{} ")      // nil
///
/// Used only to tell ``JSONError/trailingContent`` from ``JSONError/syntax``: it counts brackets and does not check the
/// text between them, so the caller parses the bytes before the end.
func firstValueEnd(in bytes: Span<UInt8>) -> Int? {
  var depth = 0
  var index = 0
  skipSpace(in: bytes, from: &index)
  let start = index
  while index < bytes.count {
    let byte = bytes[index]
    if depth == 0, index > start, endsScalar(byte) { break }
    index += 1
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    case UInt8(ascii: "\""): skipString(in: bytes, from: &index)
    default: continue
    }
    if depth <= 0 { break }
  }
  let end = index
  skipSpace(in: bytes, from: &index)
  return index < bytes.count ? end : nil
}

private func skipSpace(in bytes: Span<UInt8>, from index: inout Int) {
  while index < bytes.count, isSpace(bytes[index]) { index += 1 }
}

private func skipString(in bytes: Span<UInt8>, from index: inout Int) {
  while index < bytes.count {
    let byte = bytes[index]
    index += byte == UInt8(ascii: "\\") ? 2 : 1
    if byte == UInt8(ascii: "\"") { break }
  }
  index = min(index, bytes.count)
}

private func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

private func endsScalar(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "}"), UInt8(ascii: "]"): true
  case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"): true
  default: isSpace(byte)
  }
}

/// The simdjson that reads messages here.
package enum JSONLibrary {
  /// The version that this was built with, such as `3.1.1`.
  package static var version: String { String(cString: csimdjson_version()) }
  /// The implementation it chose for this processor, such as `haswell`; `fallback` is slow.
  package static var implementation: String { String(cString: csimdjson_implementation()) }
}
