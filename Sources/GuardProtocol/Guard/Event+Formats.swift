internal import Bytes
internal import GuardModel
internal import JSONText

extension Event {
  /// Keeps the MIME types, joined by commas, and whether plain text is among them; false for anything but a text list.
  ///
  ///     ["text/html", "text/plain;charset=utf-8"]    // text/html,text/plain;charset=utf-8; offers plain text
  ///     ["image/png"]                                // image/png; offers none
  mutating func keepFormats(_ value: JSONValue) -> Bool {
    guard value.kind == .array else { return false }
    var kept: TextSlot?
    offersPlainText = false
    var elements = value.elements
    while let element = elements.next() {
      guard let format = element.stringBytes else { return false }
      if kept != nil { _ = append(",") }
      let slot = append(format)
      kept = TextSlot(from: kept ?? slot, to: slot)
      if isPlainText(format) { offersPlainText = true }
    }
    formats = kept
    return true
  }
}

extension TextSlot {
  /// Everything from the start of one to the end of another.
  fileprivate init(from first: TextSlot, to last: TextSlot) {
    self = first
    upper = last.upper
  }
}

/// Tells whether a MIME type is `text/plain`, with parameters or without. Case does not count (RFC 2045, 5.1).
private func isPlainText(_ format: Span<UInt8>) -> Bool {
  let plain: StaticString = "text/plain"
  let length = plain.utf8CodeUnitCount
  guard format.extracting(first: length).matches(ignoringCase: plain) else { return false }
  guard format.count > length else { return true }
  let next = format[length]
  return next == UInt8(ascii: ";") || next == UInt8(ascii: " ") || next == UInt8(ascii: "\t")
}
