/// What stands in lists and is more than a name: told by its characters, with what to write instead.
enum ListedNameSyntax {
  /// Most bytes of a name that is worth a closer look: 253 bytes of ASCII come from at most four times as many.
  private static let maximumLength = 4 * ListLimits.maximumHostLength

  /// The problem with `text`, whose characters are not all those of host names; nil when it may be a host all the same.
  static func problem(_ text: Span<UInt8>) -> ListLineProblem? {
    guard text.count <= maximumLength else {
      return ListLineProblem("the name has more than \(maximumLength) bytes")
    }
    // International names, in lists of them, have nothing of what is looked for.
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
    byte.isDecimalDigit || ":.abcdefABCDEF".utf8.contains(byte)
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
