internal import CPSL
package import URLStandard

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
    guard equal(left.schemeBytes, right.schemeBytes) else { return false }
    guard let leftStart = siteStart(of: left), let rightStart = siteStart(of: right) else {
      return equal(left.hostBytes, right.hostBytes)
    }
    return equal(left.hostBytes.extracting(leftStart...), right.hostBytes.extracting(rightStart...))
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
