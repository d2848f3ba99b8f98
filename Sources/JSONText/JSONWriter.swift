package import Bytes

/// Writes JSON to the end of an array of bytes.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.member("verdict", "allow")
///     writer.key("codes")
///     writer.beginArray()
///     writer.value(1)
///     writer.value(2)
///     writer.endArray()
///     writer.endObject()
///     writer.endDocument(0)   // {"verdict":"allow","codes":[1,2]} and a NUL
///
/// The writer sets commas, the caller brackets: every opened bracket must be closed, and a value in an object must
/// follow a key. Strings may hold any bytes: the output is valid UTF-8, and no string ends its quotes early.
///
/// Nothing is allocated once there is room; the output is read in place, as ``span``.
package struct JSONWriter: ~Copyable {
  /// The layout of the text.
  package enum Layout: Equatable, Hashable, Sendable {
    /// No white space: one document is one line.
    case compact

    /// A line for each member and element, two spaces for each level. For people.
    case indented
  }

  private var text = JSONBuffer()
  private let layout: Layout
  private var depth = 0
  private var needsComma = false
  private var followsKey = false

  /// A writer that goes on behind a copy of those bytes.
  package init(appendingTo bytes: [UInt8] = [], layout: Layout = .compact) {
    self.layout = layout
    text.append(bytes.span)
  }

  /// The output so far.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { text.span }
  }

  /// A copy of the output.
  package var bytes: [UInt8] { text.span.withUnsafeBufferPointer { Array($0) } }

  /// Appends the output to other bytes.
  package func copy(to bytes: inout [UInt8]) {
    text.span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  /// A copy of the output. The writer is left empty, and keeps its room.
  package mutating func take() -> [UInt8] {
    let taken = bytes
    reset()
    return taken
  }

  /// Drops the output, and keeps the room.
  package mutating func reset() {
    text.removeAll()
    startAfresh()
  }

  /// Ends the document with that byte, such as NUL for a varlink frame or LF for a line. The next value begins another.
  package mutating func endDocument(_ terminator: UInt8) {
    text.append(terminator)
    startAfresh()
  }

  /// Begins an object: keys and values follow, then ``endObject()``.
  package mutating func beginObject() { begin(UInt8(ascii: "{")) }

  /// Ends the object that was begun last.
  package mutating func endObject() { end(UInt8(ascii: "}")) }

  /// Begins an array: values follow, then ``endArray()``.
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }

  /// Ends the array that was begun last.
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// A key from the source that needs no escaping: it is copied as it is.
  @inline(__always)
  package mutating func key(_ name: StaticString) {
    if layout == .indented { return name.withUTF8Buffer { key(escaping: $0.span) } }
    if name.hasPointerRepresentation {
      let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
      text.appendKey(plain: name, needsComma: needsComma)
    } else {
      name.withUTF8Buffer { name in text.appendKey(plain: name, needsComma: needsComma) }
    }
    needsComma = false
    followsKey = true
  }

  /// A key from elsewhere, escaped.
  package mutating func key(escaping name: Span<UInt8>) {
    separate()
    text.appendQuoted(name)
    endKey()
  }

  /// A string. Invalid UTF-8 in it becomes U+FFFD.
  package mutating func value(_ text: Span<UInt8>) {
    separate()
    self.text.appendQuoted(text)
    needsComma = true
  }

  /// JSON that is already written, copied as it is.
  ///
  /// The caller answers for it: one whole value, from this writer or checked by ``JSONParser``. Never a stranger's
  /// text.
  package mutating func raw(_ json: Span<UInt8>) {
    if layout == .compact {
      text.append(json, needsComma: needsComma)
      followsKey = false
    } else {
      separate()
      text.append(json)
    }
    needsComma = true
  }

  /// JSON that stands in the source, copied as it is.
  package mutating func raw(_ json: StaticString) {
    separate()
    append(json)
    needsComma = true
  }

  /// A whole number.
  mutating func number(_ magnitude: UInt64, isNegative: Bool) {
    separate()
    if isNegative { text.append(UInt8(ascii: "-")) }
    text.append(decimal: magnitude)
    needsComma = true
  }

  /// A whole number as a string.
  mutating func quoted(_ magnitude: UInt64) {
    separate()
    text.append(UInt8(ascii: "\""))
    text.append(decimal: magnitude)
    text.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// A whole number whose digits are at hand; `isQuoted` as a string.
  mutating func number(digits: Span<UInt8>, isQuoted: Bool) {
    separate()
    if isQuoted { text.append(UInt8(ascii: "\"")) }
    text.append(digits)
    if isQuoted { text.append(UInt8(ascii: "\"")) }
    needsComma = true
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    text.append(bracket)
    needsComma = false
    depth += 1
  }

  private mutating func end(_ bracket: UInt8) {
    depth -= 1
    if layout == .indented, needsComma { breakLine() }
    text.append(bracket)
    needsComma = true
  }

  @inline(__always)
  private mutating func endKey() {
    text.append(UInt8(ascii: ":"))
    if layout == .indented { text.append(UInt8(ascii: " ")) }
    needsComma = false
    followsKey = true
  }

  /// Writes the comma and the line break between the last thing written and the next.
  @inline(__always)
  private mutating func separate() {
    if needsComma { text.append(UInt8(ascii: ",")) }
    if layout == .indented, depth > 0, !followsKey { breakLine() }
    followsKey = false
  }

  private mutating func breakLine() {
    text.append(UInt8(ascii: "\n"))
    for _ in 0..<max(depth, 0) {
      text.append(UInt8(ascii: " "))
      text.append(UInt8(ascii: " "))
    }
  }

  private mutating func append(_ word: StaticString) {
    word.withUTF8Buffer { word in text.append(copying: word) }
  }

  private mutating func startAfresh() {
    depth = 0
    needsComma = false
    followsKey = false
  }
}

extension JSONWriter {
  /// A string.
  package mutating func value(_ text: String) { value(text.utf8.span) }

  /// A string that stands in the source, such as a word of a protocol.
  package mutating func value(_ word: StaticString) {
    word.withUTF8Buffer { value($0.span) }
  }

  /// A string, from bytes. Invalid UTF-8 in it becomes U+FFFD.
  package mutating func value(_ text: [UInt8]) { value(text.span) }

  /// A number.
  package mutating func value(_ number: Int) { value(Int64(number)) }

  /// A number. Readers that hold numbers as doubles, JavaScript among them, round integers beyond 2^53.
  package mutating func value(_ number: Int64) {
    self.number(number.magnitude, isNegative: number < 0)
  }

  /// A number. Readers that hold numbers as doubles, JavaScript among them, round integers beyond 2^53.
  package mutating func value(_ number: UInt64) {
    self.number(number, isNegative: false)
  }

  /// A number, in the fewest digits that read back as the same double. Allocates. `null` for values that JSON lacks:
  /// infinities and NaN.
  package mutating func value(_ number: Double) {
    guard number.isFinite else { return null() }
    raw(number.description.utf8.span)
  }

  /// `true` or `false`.
  package mutating func value(_ truth: Bool) {
    if truth { raw("true") } else { raw("false") }
  }

  /// The literal `null`.
  package mutating func null() { raw("null") }

  /// A key that needs no escaping, and a string.
  package mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    value(text)
  }

  /// A key that needs no escaping, and a string that stands in the source.
  package mutating func member(_ name: StaticString, _ word: StaticString) {
    key(name)
    value(word)
  }

  /// A key that needs no escaping, and a string from bytes. Invalid UTF-8 in it becomes U+FFFD.
  package mutating func member(_ name: StaticString, _ text: Span<UInt8>) {
    key(name)
    self.text.appendQuoted(text)
    followsKey = false
    needsComma = true
  }

  /// A key that needs no escaping, and a number.
  package mutating func member(_ name: StaticString, _ number: Int) {
    key(name)
    value(number)
  }

  /// A key that needs no escaping, and a number.
  package mutating func member(_ name: StaticString, _ number: UInt64) {
    key(name)
    value(number)
  }

  /// A key that needs no escaping, and a number as a string, for readers that would round it.
  package mutating func member(_ name: StaticString, quoting number: UInt64) {
    key(name)
    quoted(number)
  }

  /// The same of a counter, whose digits are at hand.
  package mutating func member(_ name: StaticString, quoting counter: DecimalCounter) {
    key(name)
    number(digits: counter.digits, isQuoted: true)
  }

  /// A key that needs no escaping, and a counter's number.
  package mutating func member(_ name: StaticString, _ counter: DecimalCounter) {
    key(name)
    number(digits: counter.digits, isQuoted: false)
  }

  /// A key that needs no escaping, and `true` or `false`.
  package mutating func member(_ name: StaticString, _ truth: Bool) {
    key(name)
    value(truth)
  }
}
