internal import URLStandard

/// A host as a rule file or a command line may name it, in the form the parser gives hosts.
///
///     HostName("Bücher.Example.")?.bytes   // xn--bcher-kva.example
///     HostName("contoso.com:443")          // nil: a port is not part of a host
package struct HostName: Sendable, Hashable {
  package let bytes: [UInt8]
  /// An address has no sub-domains, so `domain:` with it takes only itself.
  package let isAddress: Bool

  package init?(_ text: String) {
    guard !text.isEmpty, !text.utf8.contains(where: Self.endsAHost) else { return nil }
    let isBracketed = text.utf8.first == UInt8(ascii: "[") && text.utf8.last == UInt8(ascii: "]")
    guard isBracketed || !text.utf8.contains(UInt8(ascii: ":")) else { return nil }
    guard var record = URLRecord("https://" + text + "/"), !record.hasCredentials else { return nil }
    guard record.portNumber == nil, record.pathRange.count == 1, record.queryRange == nil else { return nil }
    record.removeTrailingHostDot()
    bytes = Array(record.bytes[record.hostRange])
    isAddress = record.hostKind != .domain
    guard !bytes.isEmpty else { return nil }
  }

  /// Bytes that would make the text more than a host.
  private static func endsAHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"): true
    default: byte <= 0x20
    }
  }
}

/// Properties of a host that show in the parser's form.
package enum HostShape {
  /// No name ends in a number, so one that does is an address (URL Standard, section 3.5).
  package static func isAddress(_ name: [UInt8]) -> Bool {
    guard let last = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).last else {
      return false
    }
    return name.last == UInt8(ascii: "]")
      || !last.isEmpty && last.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
