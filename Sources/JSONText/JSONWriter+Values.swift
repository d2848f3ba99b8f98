extension JSONWriter {
  /// A string.
  package mutating func value(_ text: String) { value(text.utf8.span) }

  /// A string that stands in the source, such as a word of a protocol.
  package mutating func value(_ word: StaticString) {
    word.withUTF8Buffer { value($0.span) }
  }

  /// A string, from bytes. What is not UTF-8 in it becomes U+FFFD.
  package mutating func value(_ text: [UInt8]) { value(text.span) }

  /// A string, from bytes. What is not UTF-8 in it becomes U+FFFD.
  package mutating func value(_ text: ArraySlice<UInt8>) { value(text.span) }

  /// A number.
  package mutating func value(_ number: Int) { value(Int64(number)) }

  /// A number. Readers that hold numbers as doubles, JavaScript among them, round what is beyond 2^53.
  package mutating func value(_ number: Int64) {
    self.number(number.magnitude, isNegative: number < 0)
  }

  /// A number. Readers that hold numbers as doubles, JavaScript among them, round what is beyond 2^53.
  package mutating func value(_ number: UInt64) {
    self.number(number, isNegative: false)
  }

  /// A number, in the fewest digits that read back as the same double. Allocates. `null` for what JSON cannot say:
  /// infinities and what is not a number.
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

  /// A key that needs no escaping, and a string from bytes. What is not UTF-8 in it becomes U+FFFD.
  package mutating func member(_ name: StaticString, _ text: Span<UInt8>) {
    key(name)
    value(text)
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

  /// A key that needs no escaping, and `true` or `false`.
  package mutating func member(_ name: StaticString, _ truth: Bool) {
    key(name)
    value(truth)
  }
}
