/// What is done to a text before the basic URL parser looks at it.
///
/// Source: URL Standard, section 4.4: leading and trailing C0 controls and spaces go, tabs and newlines go wherever
/// they are. `java<newline>script:` is therefore `javascript:`, a way past every filter that reads the raw text.
enum InputCleaning {
  /// The text without leading and trailing C0 controls and spaces.
  @_lifetime(copy input)
  static func trimmed(_ input: Span<UInt8>) -> Span<UInt8> {
    var start = 0
    var end = input.count
    while start < end, input[start] <= ASCII.space { start += 1 }
    while end > start, input[end - 1] <= ASCII.space { end -= 1 }
    return input.extracting(start..<end)
  }

  /// True when there is nothing to remove or to repair: no tab, no newline, and valid UTF-8.
  static func isClean(_ text: Span<UInt8>) -> Bool {
    var sawNonASCII = false
    for index in text.indices {
      let byte = text[index]
      if byte.isTabOrNewline { return false }
      if byte >= 0x80 { sawNonASCII = true }
    }
    return !sawNonASCII || UTF8Repair.isValid(text)
  }

  /// Puts `text` into `output` without tabs and newlines, and with U+FFFD for what is not UTF-8.
  static func clean(_ text: Span<UInt8>, into output: inout [UInt8]) {
    output.removeAll(keepingCapacity: true)
    output.append(copying: text)
    // A tab inside a broken sequence ends it, so that repair has to come before removal.
    UTF8Repair.repair(&output)
    output.removeAll(where: \.isTabOrNewline)
  }
}
