internal import JSONText

extension JSONWriter {
  /// A member that is left out when there is no value.
  mutating func member(_ name: StaticString, ifPresent text: String?) {
    if let text { member(name, text) }
  }

  mutating func member(_ name: StaticString, ifPresent number: Int?) {
    if let number { member(name, number) }
  }

  mutating func member(_ name: StaticString, ifPresent number: UInt64?) {
    if let number { member(name, number) }
  }

  /// A member that is left out when it is false.
  mutating func member(_ name: StaticString, ifTrue truth: Bool) {
    if truth { member(name, truth) }
  }

  mutating func member(_ name: StaticString, _ texts: [String]) {
    key(name)
    beginArray()
    for text in texts { value(text) }
    endArray()
  }
}
