internal import URLRules

extension StaticTerm {
  /// The term as filters of Chromium's policies; of one host.
  ///
  ///     hosts contoso.com and below, https, path from /team    ->   https://contoso.com/team
  ///     host contoso.com, port 8443                            ->   .contoso.com:8443
  func filters(_ side: FilterSide) throws(StaticGap) -> [String] {
    // `*` alone would take the pages of the browser as well.
    guard hosts.entries != nil || schemes.single.count == 1 else {
      var found: [String] = []
      for scheme in schemes.single {
        var single = self
        single.schemes = scheme
        found += try single.filters(side)
      }
      return found
    }
    let text = try schemeText + hostText + (port.map { ":\($0)" } ?? "") + pathText + queryText(side)
    guard let filter = try? URLFilter(text, side: side), means(filter) else { throw .spelling }
    return [text]
  }

  private var schemeText: String {
    schemes == .http ? "http://" : schemes == .https ? "https://" : ""
  }

  private var hostText: String {
    get throws(StaticGap) {
      guard texts.isEmpty else { throw .texts }
      guard let entries = hosts.entries else { return "*" }
      guard let entry = entries.first, entries.count == 1 else { throw .spelling }
      switch entry.reach {
      case .network: throw .network
      case .below: return entry.name
      case .exactly: return (HostSet.Entry.isAddress(entry.name) ? "" : ".") + entry.name
      }
    }
  }

  private var pathText: String {
    get throws(StaticGap) {
      switch place {
      case .any: ""
      case .prefix(let path): String(decoding: path, as: UTF8.self)
      case .exactly: throw .exactURL
      }
    }
  }

  private func queryText(_ side: FilterSide) throws(StaticGap) -> String {
    guard !query.isEmpty else { return "" }
    // One key that stands there twice: in an allow list every value must fit, in a block list any.
    guard query.allSatisfy({ $0.isEvery == (side == .allow) || $0.isPrefix && $0.keyCount == $0.text.count }) else {
      throw side == .allow ? .query : .queryEvery
    }
    let elements = query.map { String(decoding: $0.text, as: UTF8.self) + ($0.isPrefix ? "*" : "") }
    return "?" + elements.joined(separator: "&")
  }

  /// Whether a filter that was read back takes the same URLs as the term.
  private func means(_ filter: URLFilter) -> Bool {
    guard let read = StaticFilter(filter).alternative?.term else { return false }
    return read.hosts == hosts && read.schemes == schemes && read.port == port && read.place == place
      && Set(filter.conditions) == Set(query)
  }

  /// Its place among filters that match one URL.
  func filterRank(_ side: FilterSide) -> UInt64 {
    var components = FilterComponents()
    if let entry = hosts.entries?.first {
      components.host = Array(entry.name.utf8)
      components.matchesSubdomains = entry.reach == .below || HostShape.isAddress(components.host)
    }
    if case .prefix(let path) = place { components.path = path }
    if schemes != .web { components.scheme = [UInt8(ascii: "s")] }
    components.port = port ?? 0
    return components.rank(side: side, conditions: query.count)
  }
}

extension StaticTerm {
  /// The term as match patterns of Firefox's policies; of one host.
  ///
  ///     hosts contoso.com and below    ->   *://*.contoso.com/*
  var matchPatterns: [String] {
    get throws(StaticGap) {
      guard texts.isEmpty else { throw .texts }
      guard port == nil else { throw .port }
      guard query.isEmpty else { throw .query }
      let scheme = schemes == .http ? "http" : schemes == .https ? "https" : "*"
      return [scheme + "://" + (try patternHost) + (try patternPath)]
    }
  }

  private var patternHost: String {
    get throws(StaticGap) {
      guard let entries = hosts.entries else { return "*" }
      guard let entry = entries.first, entries.count == 1 else { throw .spelling }
      guard !entry.name.utf8.contains(UInt8(ascii: "*")) else { throw .star }
      guard entry.name.hasPrefix("[") || !entry.name.utf8.contains(UInt8(ascii: ":")) else { throw .spelling }
      switch entry.reach {
      case .network: throw .network
      case .below: return "*." + entry.name
      case .exactly: return entry.name
      }
    }
  }

  private var patternPath: String {
    get throws(StaticGap) {
      switch place {
      case .any: return "/*"
      case .prefix(let path): return try Self.globText(path) + "*"
      case .exactly(let target): return try Self.globText(target)
      }
    }
  }

  /// Firefox compares in lower case, both the policy's text and the visited URL.
  private static func globText(_ text: [UInt8]) throws(StaticGap) -> String {
    guard !text.contains(UInt8(ascii: "*")) else { throw .star }
    guard !text.contains(where: ByteSet.letters.contains) else { throw .letterCase }
    return String(decoding: text, as: UTF8.self)
  }
}
