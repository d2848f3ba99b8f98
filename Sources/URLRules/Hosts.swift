internal import Bytes
internal import CPSL
package import URLStandard

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

/// A block of addresses (`cidr:` in a rule file).
///
///     IPNetwork("10.0.0.0/8")       // takes http://10.1.2.3/ and http://[::ffff:10.1.2.3]/
///     IPNetwork("2001:db8::/32")    // takes http://[2001:db8::1]/
///     IPNetwork("10.0.0.1/8")       // nil: bits behind the prefix are set
///
/// Names are never resolved: a name that leads into the network is not taken.
package struct IPNetwork: Sendable, Hashable {
  /// The first address.
  package let base: IPAddress
  /// Number of leading bits of the 128 that are the network's; an IPv4 prefix counts from 96.
  package let prefixBits: Int

  package enum Problem: Error, Hashable { case noAddress, noPrefix, prefixTooLong, bitsBehindPrefix(IPNetwork) }

  private init(base: IPAddress, prefixBits: Int) {
    self.base = base
    self.prefixBits = prefixBits
  }

  /// Reads `ADDRESS/BITS`; a single address without bits is a network of one.
  package init(_ text: String) throws(Problem) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    guard let address = Self.address(written) else { throw .noAddress }
    let width = written.contains(":") ? 128 : 32
    var bits = width
    if parts.count == 2 {
      guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .noPrefix }
      guard let number = Int(parts[1]), number <= width else { throw .prefixTooLong }
      bits = number
    }
    let prefixBits = bits + 128 - width
    let base = address.bits & Self.mask(prefixBits)
    let network = IPNetwork(base: IPAddress(ipv6: base), prefixBits: prefixBits)
    guard base == address.bits else { throw .bitsBehindPrefix(network) }
    self = network
  }

  /// Whether the address is in the network. IPv6 networks hold no IPv4 addresses, however short their prefix.
  package func contains(_ address: IPAddress) -> Bool {
    address.isIPv6 == base.isIPv6 && address.bits & Self.mask(prefixBits) == base.bits
  }

  /// The leading `bits` of an address.
  package static func mask(_ bits: Int) -> UInt128 { bits == 0 ? 0 : UInt128.max << UInt128(128 - bits) }

  /// Only the plain spelling of an address: octal or short ones would surprise readers of the rule.
  private static func address(_ text: String) -> IPAddress? {
    let isIPv6 = text.contains(":")
    guard isIPv6 || isDottedDecimal(text) else { return nil }
    let host = isIPv6 && !text.hasPrefix("[") ? "[\(text)]" : text
    guard let record = URLRecord("http://\(host)/"), record.pathRange.count == 1, !record.hasCredentials else {
      return nil
    }
    return record.portNumber == nil ? IPAddress(hostOf: record) : nil
  }

  private static func isDottedDecimal(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && ($0 == "0" || !$0.hasPrefix("0")) }
  }
}

extension IPNetwork: CustomStringConvertible {
  /// As a rule file writes it: `10.0.0.0/8`.
  package var description: String {
    "\(base)/\(base.isIPv6 ? prefixBits : prefixBits - 96)"
  }
}

/// The public suffix list: the names under which anybody can register a name of their own.
///
///     suffixes.site(of: record)       // https://a.b.co.uk/     -> b.co.uk
///                                     // https://x.github.io/   -> x.github.io
///                                     // https://github.io/     -> nil, as for addresses
///     suffixes.holds("co.uk")         // true
///
/// Source: publicsuffix.org, with the rule `*` for names that the list lacks. Hosts are in the parser's form.
package final class PublicSuffixes: Sendable {
  // INVARIANT: written once in `init`, read-only afterwards, freed in `deinit`; libpsl's look-ups change nothing.
  nonisolated(unsafe) private let list: OpaquePointer?

  /// No name is longer, by far; a longer host has no site.
  private static let maximumHost = 253

  /// The newest list on this machine: that of the distribution, or the one libpsl carries.
  package init() { list = psl_latest(nil) }

  /// The list in `file`; nil when it cannot be read.
  package init?(file: String) {
    guard let list = psl_load_file(file) else { return nil }
    self.list = list
  }

  deinit { psl_free(list) }

  /// The registrable domain of the URL's host; nil when it has none: an address, a public suffix, no host.
  package func site(of record: borrowing URLRecord) -> String? {
    siteStart(of: record).map { start in
      let host = record.hostRange
      return String(decoding: record.bytes[(host.lowerBound + start)..<host.upperBound], as: UTF8.self)
    }
  }

  /// Whether two URLs are of one site: the same scheme, and the same registrable domain, or without one the same host.
  /// The port is no part of a site.
  ///
  /// Source: HTML Standard, section 7.1.2 (same site).
  package func areSameSite(_ left: borrowing URLRecord, _ right: borrowing URLRecord) -> Bool {
    guard left.schemeBytes.matches(right.schemeBytes) else { return false }
    guard let leftStart = siteStart(of: left), let rightStart = siteStart(of: right) else {
      return left.hostBytes.matches(right.hostBytes)
    }
    return left.hostBytes.extracting(leftStart...).matches(right.hostBytes.extracting(rightStart...))
  }

  /// Whether the list names `name` as a public suffix: a rule for it takes all names that anybody registered below it.
  /// A last label that the list does not know, like `intranet`, is none.
  package func holds(_ name: String) -> Bool { holds(name.utf8.span) }

  /// The same of the bytes of a name.
  package func holds(_ name: Span<UInt8>) -> Bool {
    let kinds = PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE
    return withHost(name) { psl_is_public_suffix2(list, $0, kinds) == 1 } ?? false
  }

  /// Start of the registrable domain in the host.
  private func siteStart(of record: borrowing URLRecord) -> Int? {
    guard record.hostKind == .domain else { return nil }
    return withHost(record.hostBytes) { host in psl_registrable_domain(list, host).map { $0 - host } } ?? nil
  }

  /// Calls `body` with the host as a C string, without a dot at its end.
  private func withHost<Result>(_ host: Span<UInt8>, _ body: (UnsafePointer<CChar>) -> Result) -> Result? {
    let count = !host.isEmpty && host[host.count - 1] == UInt8(ascii: ".") ? host.count - 1 : host.count
    guard (1...Self.maximumHost).contains(count) else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { buffer in
      for index in 0..<count { buffer[index] = CChar(bitPattern: host[index]) }
      buffer[count] = 0
      return buffer.baseAddress.map { body(UnsafePointer($0)) }
    }
  }
}
