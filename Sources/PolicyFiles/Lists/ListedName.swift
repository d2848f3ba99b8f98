internal import Bytes
internal import URLRules

/// A name of a list in the form in which hosts are compared; keeps its memory from one name to the next.
///
///     var name = ListedName()
///     try name.read("Bücher.Example.")    // name.bytes: xn--bcher-kva.example
///     try name.read("*.contoso.com")      // contoso.com, and isWildcard
///     try name.read("2001:DB8::1")        // [2001:db8::1], and isAddress
///     try name.read("10.1")               // error: write `10.0.0.1`
///
/// It is stricter than the URL parser, which takes `a..b`, `"x.example"` and `a.example,b.example` for host names: in a
/// list they are mistakes. It reads the names that it takes as the parser does.
struct ListedName {
  private(set) var bytes: [UInt8] = []
  /// Whether `*.` or `.` stood in front.
  private(set) var isWildcard = false
  private(set) var isAddress = false

  /// Reads `text`, which is valid UTF-8 without blanks; offsets of problems count from its beginning.
  mutating func read(_ text: Span<UInt8>) throws(ListLineProblem) {
    isAddress = false
    let start = text.wildcardLength
    isWildcard = start > 0
    let hasDot = text.count > start && text[text.count - 1] == UInt8(ascii: ".")
    let name = text.extracting(start..<text.count - (hasDot ? 1 : 0))
    guard !name.isEmpty else { throw ListLineProblem("\(text.quoted) is not a host name") }
    if copyLowercased(name) {
      if PlainHost.isPlain(bytes.span) { return }
      if let problem = bytes.span.labelProblem(text, from: start) { throw problem }
    } else if let problem = ListedNameSyntax.problem(text) ?? name.labelProblem(text, from: start) {
      throw problem
    }
    try readAsHost(name.text, text)
  }

  /// Copies a name of ASCII letters, digits, `-`, `_` and dots; false when there is something else in it.
  private mutating func copyLowercased(_ name: Span<UInt8>) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    for index in name.indices {
      let byte = name[index]
      let isUpper = byte &- UInt8(ascii: "A") < 26
      guard isUpper || byte.isPlainHostByte || byte == UInt8(ascii: ".") else { return false }
      bytes.append(isUpper ? byte | 0x20 : byte)
    }
    return true
  }

  /// The slow way, for addresses and international names.
  private mutating func readAsHost(_ name: String, _ text: Span<UInt8>) throws(ListLineProblem) {
    let isBareIPv6 = name.utf8.contains(UInt8(ascii: ":")) && !name.hasPrefix("[")
    guard let host = HostName(isBareIPv6 ? "[\(name)]" : name) else {
      let hint =
        !isBareIPv6 && name.utf8.last?.isASCIIDigit == true ? "a name that ends in a number is an IPv4 address" : nil
      throw ListLineProblem("\(text.quoted) is not a host name", hint: hint)
    }
    bytes = host.bytes
    isAddress = host.isAddress
    if isAddress { return try checkAddress(name, text) }
    guard PlainHost.lastLabel(of: bytes.span) == nil else { return }
    throw bytes.span.labelProblem(text, from: 0) ?? ListLineProblem("\(text.quoted) is not a host name")
  }

  /// An IPv4 address stands in its own form: a list with `12345` in it holds no addresses, it is no list of hosts.
  private func checkAddress(_ name: String, _ text: Span<UInt8>) throws(ListLineProblem) {
    let address = String(decoding: bytes, as: UTF8.self)
    guard address.hasPrefix("[") || address == name else {
      throw ListLineProblem(
        "\(name.quoted) is not an IPv4 address in its usual form",
        hint: "if an address is meant, write \(address.quoted)")
    }
    guard !isWildcard else {
      throw ListLineProblem("\(text.quoted): nothing is below an address", hint: "write \(name.quoted)")
    }
  }
}

extension Span<UInt8> {
  /// The bytes as text; bytes that are not UTF-8 are replaced.
  var text: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }

  /// The text in backticks, fit for a message.
  var quoted: String { text.quoted }

  /// Bytes of `*.` or `.` in front.
  fileprivate var wildcardLength: Int {
    if count > 1, self[0] == UInt8(ascii: "*"), self[1] == UInt8(ascii: ".") { return 2 }
    return count > 1 && self[0] == UInt8(ascii: ".") ? 1 : 0
  }

  /// An empty or too long label of a name, or a name that is too long; `start` is where it begins in `text`.
  fileprivate func labelProblem(_ text: Span<UInt8>, from start: Int) -> ListLineProblem? {
    var labelStart = 0
    for index in 0...count where index == count || self[index] == UInt8(ascii: ".") {
      let length = index - labelStart
      if length == 0 { return ListLineProblem("\(text.quoted) has an empty label", at: start + labelStart) }
      if length > ListLimits.maximumLabelLength {
        return ListLineProblem(
          "a label of \(text.quoted) has more than \(ListLimits.maximumLabelLength) bytes", at: start + labelStart)
      }
      labelStart = index + 1
    }
    guard count > ListLimits.maximumHostLength else { return nil }
    return ListLineProblem("\(text.quoted) has more than \(ListLimits.maximumHostLength) bytes")
  }
}

/// Entries in lists that are more than a name: told by their characters, with a hint for the right form.
enum ListedNameSyntax {
  /// Most bytes of a name that is worth a closer look: 253 bytes of ASCII come from at most four times as many.
  private static let maximumLength = 4 * ListLimits.maximumHostLength

  /// The problem with `text`, whose characters are not all those of host names; nil when it may be a host all the same.
  static func problem(_ text: Span<UInt8>) -> ListLineProblem? {
    guard text.count <= maximumLength else {
      return ListLineProblem("the name has more than \(maximumLength) bytes")
    }
    // International names, in lists of them, have no such character.
    guard text.hasOtherASCII else { return nil }
    let name = text.text
    return url(name) ?? adBlockRule(name) ?? mask(name) ?? character(text, name) ?? colon(text, name)
  }

  private static func url(_ name: String) -> ListLineProblem? {
    guard name.contains("://") else { return nil }
    let quoted = name.quoted
    return ListLineProblem(
      "\(quoted) is a URL, and a list of hosts takes host names", hint: "write the host alone, or use `urlFilters`")
  }

  private static func adBlockRule(_ name: String) -> ListLineProblem? {
    let isRule = name.hasPrefix("||") || name.hasPrefix("@@") || name.contains("##") || name.contains("^")
    guard isRule else { return nil }
    return ListLineProblem(
      "\(name.quoted) is a rule of an ad blocker and no host name", hint: "take the list as domains or as a hosts file")
  }

  private static func mask(_ name: String) -> ListLineProblem? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let bits = UInt8(parts[1]), bits <= 128, parts[0].utf8.allSatisfy(isAddressByte) else {
      return nil
    }
    return ListLineProblem(
      "\(name.quoted) is a network and no host name", hint: "put networks under `cidr` in a rule")
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || ":.abcdefABCDEF".utf8.contains(byte)
  }

  /// The first character that no host name has, apart from colons.
  private static func character(_ text: Span<UInt8>, _ name: String) -> ListLineProblem? {
    for index in text.indices {
      guard let found = meaning(of: text[index], isFirst: index == 0 && text.count > 1 && text[1] == UInt8(ascii: "."))
      else { continue }
      return ListLineProblem("\(name.quoted) has \(found.what)", hint: found.hint, at: index)
    }
    return nil
  }

  private static func meaning(of byte: UInt8, isFirst: Bool) -> (what: String, hint: String?)? {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"):
      ("a path, and a list of hosts takes host names", "write the host alone, or use `urlFilters`")
    case UInt8(ascii: "#"): ("a `#` inside", "a comment has a blank before its `#`")
    case UInt8(ascii: "@"): ("a user name", "leave out everything up to `@`")
    case UInt8(ascii: "*") where !isFirst:
      ("a wildcard inside", "an entry takes everything below it; only `*.` in front is allowed")
    case UInt8(ascii: "%"): ("an encoded character", "write the character itself")
    case UInt8(ascii: ","), UInt8(ascii: ";"): ("a separator", "write one host a line")
    default: nil
    }
  }

  private static func colon(_ text: Span<UInt8>, _ name: String) -> ListLineProblem? {
    guard let index = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let isOnly = name.utf8.firstIndex(of: UInt8(ascii: ":")) == index
    guard isOnly || name.contains("]:") else { return nil }
    let offset = name.utf8.distance(from: name.startIndex, to: index)
    return ListLineProblem(
      "\(name.quoted) has a port, and entries take every port", hint: "write \(String(name[..<index]).quoted)",
      at: offset)
  }
}

extension Span<UInt8> {
  /// Whether there is an ASCII character that no host name has.
  fileprivate var hasOtherASCII: Bool {
    for index in indices {
      let byte = self[index]
      let isUpper = byte &- UInt8(ascii: "A") < 26
      guard byte >= 0x80 || byte.isPlainHostByte || isUpper || byte == UInt8(ascii: ".") else { return true }
    }
    return false
  }
}

/// Host names that are written as the URL parser would write them, so that nothing has to be changed or made.
///
///     PlainHost.isPlain("ads.example")     // true
///     PlainHost.isPlain("Ads.example.")    // false: it is a name, but has to be rewritten
///     PlainHost.isPlain("10.0.0.1")        // false: whether that is an address is decided elsewhere
enum PlainHost {
  /// Whether `text` is labels of lower-case letters, digits, `-` and `_` with dots between them, within the limits,
  /// and its last label cannot be a number (URL Standard, section 3.5, ends in a number checker).
  @inline(__always)
  static func isPlain(_ text: Span<UInt8>) -> Bool {
    guard let last = lastLabel(of: text) else { return false }
    return !text[last].isASCIIDigit
  }

  /// The start of the last label; nil when the labels are not plain.
  @inline(__always)
  static func lastLabel(of text: Span<UInt8>) -> Int? {
    guard text.count <= ListLimits.maximumHostLength else { return nil }
    var labelStart = 0
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: ".") {
        guard isLabelLength(index - labelStart) else { return nil }
        labelStart = index + 1
      } else if !byte.isPlainHostByte {
        return nil
      }
    }
    return isLabelLength(text.count - labelStart) ? labelStart : nil
  }

  @inline(__always)
  private static func isLabelLength(_ length: Int) -> Bool {
    length > 0 && length <= ListLimits.maximumLabelLength
  }
}

extension UInt8 {
  /// A lower-case letter, a digit, `-` or `_`.
  @inline(__always)
  var isPlainHostByte: Bool {
    // One bit for each of the first 128 bytes.
    let set: UInt64 = self < 64 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_8000_0000
    return self < 128 && set >> UInt64(self & 63) & 1 == 1
  }

  /// A space or a tab.
  var isBlank: Bool { self == 0x20 || self == .tab }
}
