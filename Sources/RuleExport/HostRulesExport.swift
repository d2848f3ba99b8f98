internal import GuardModel
internal import URLRules

/// Rules for the names that Chromium resolves, as the value of its switch `--host-resolver-rules`.
///
///     external  host tracker.example         ->  MAP tracker.example ~NOTFOUND,MAP tracker.example. ~NOTFOUND
///     external  not: { host: contoso.com }   ->  MAP * ~NOTFOUND,EXCLUDE contoso.com,EXCLUDE contoso.com.
///
/// Chromium closes a name for everything at once. So only hosts are closed of which no URL may load, neither as a page nor
/// as a resource. Frames are held to be pages, except where a rule lets them pass. An `EXCLUDE` wins over every `MAP`,
/// whatever their order (Chromium, `HostMappingRules`).
package struct HostRulesExport: Sendable {
  package private(set) var rules: [String] = []
  package private(set) var notes: [StaticNote] = []
  private let items: [StaticRules.Item]
  private let open: [StaticRules.Open]
  private var book: StaticNoteBook
  /// The parts into which rules cut the hosts, each without the smaller parts in it; nil: every host.
  private var isClosed: [HostSet.Entry?: Bool] = [:]
  private var size = 0
  private var written: Set<String> = []
  /// Addresses of IPv4 that are written as IPv6 stay open, since some do.
  private var excludesMapped = false

  /// The kernel takes 131,072 bytes in one argument; the switch has a name, and may be quoted.
  package static let maximumBytes = 100_000
  private static let maximumParts = 3_000
  /// The beginning of an address of IPv4 that is written as IPv6.
  private static let mapped = "::ffff:"

  package init(_ rules: StaticRules) {
    items = rules.items
    // A rule that cannot be said opens its hosts here, so that the export blocks nothing that it lets pass.
    book = StaticNoteBook(rules.withoutOpen)
    open = rules.open
    if let parts { close(parts, HostRows(items, open, parts)) } else { omitAll(.limit) }
    notes = book.finish()
  }

  // MARK: Parts of the hosts

  /// Parts that rules name; nil when those that let pass are too many. Blocked ones beyond the limit stay open.
  private var parts: [HostSet.Entry]? {
    let terms = items.filter { !$0.isBlocked }.map(\.term) + open.map(\.term)
    let passing = Set(terms.flatMap { $0.hosts.entries ?? [] })
    guard passing.count <= Self.maximumParts else { return nil }
    var all = passing
    for item in items where item.isBlocked {
      for entry in item.term.hosts.entries ?? [] where all.count < Self.maximumParts { all.insert(entry) }
    }
    return all.sorted()
  }

  private mutating func close(_ parts: [HostSet.Entry], _ rows: HostRows) {
    for part in [nil] + parts.map(Optional.some) { isClosed[part] = rows.gap(at: part) == nil }
    var openings: [String] = []
    for part in parts where isClosed[part] == false && reachesClosed(part) {
      openings += patterns(part, isExcluded: true).map { "EXCLUDE \($0)" }
      excludesMapped = excludesMapped || part.isIPv4
    }
    // A `cidr` also takes its addresses as IPv6 writes them; the names of their networks cannot be told apart there.
    if excludesMapped { openings.append("EXCLUDE \(Self.mapped)*") }
    // With room for `MAP *`, whatever else there is.
    size = openings.reduce(32) { $0 + $1.utf8.count + 1 }
    guard size <= Self.maximumBytes else { return omitAll(.limit) }
    for item in items where item.isBlocked { say(item, rows) }
    if !rules.isEmpty { rules += openings }
  }

  /// The larger parts that a part lies in, every host last.
  private func around(_ part: HostSet.Entry) -> [HostSet.Entry?] {
    part.wider.map(Optional.some).filter { isClosed[$0] != nil } + [nil]
  }

  private func reachesClosed(_ part: HostSet.Entry) -> Bool { around(part).contains { isClosed[$0] == true } }

  private func isExcluded(_ part: HostSet.Entry?) -> Bool {
    guard let part else { return false }
    return isClosed[part] == false && reachesClosed(part)
  }

  // MARK: Rules

  private mutating func say(_ item: StaticRules.Item, _ rows: HostRows) {
    let own: [HostSet.Entry?] = item.term.hosts.entries?.map(Optional.some) ?? [nil]
    for part in own {
      guard let closed = isClosed[part] else {
        book.omit(item, .limit)
        break
      }
      let gap = closed ? write(part) : rows.gap(at: part) ?? .wholeHosts
      if let gap { book.omit(item, gap) } else { book.say(item) }
    }
  }

  /// Writes the rules that close a part, once; returns why it cannot be closed.
  private mutating func write(_ part: HostSet.Entry?) -> StaticGap? {
    guard let part else {
      if written.insert("MAP * ~NOTFOUND").inserted { rules.append("MAP * ~NOTFOUND") }
      return nil
    }
    if isClosed[nil] == false, part.reach == .network { return .network }
    if isClosed[nil] == false, !part.isPlain { return .spelling }
    let around = around(part)
    // The name itself is left out of the exclusion of what lies below it.
    let covering = around.filter { $0?.name != part.name || part.reach != .exactly }
    if covering.contains(where: isExcluded) { return .precedence }
    if excludesMapped, part.name.hasPrefix("[\(Self.mapped)") { return .precedence }
    // `MAP *` stands for it already.
    if isClosed[nil] == true { return nil }
    return add(patterns(part, isExcluded: false))
  }

  private mutating func add(_ names: [String]) -> StaticGap? {
    let new = names.map { "MAP \($0) ~NOTFOUND" }.filter { !written.contains($0) }
    let more = new.reduce(0) { $0 + $1.utf8.count + 1 }
    guard size + more <= Self.maximumBytes else { return .limit }
    size += more
    rules += new
    written.formUnion(new)
    return nil
  }

  /// The patterns of a part, with and without the dot that may end a name. Addresses never have one.
  private func patterns(_ part: HostSet.Entry, isExcluded: Bool) -> [String] {
    if part.reach == .network { return [part.name + "*"] }
    // The resolver knows an address of IPv6 without its brackets.
    if HostSet.Entry.isAddress(part.name) { return [part.name.filter { $0 != "[" && $0 != "]" }] }
    // No byte of a name may end the rule; an exclusion may take too much, and never too little.
    let name = String(part.name.unicodeScalars.map { HostSet.Entry.isPlain($0) ? Character($0) : "*" })
    let own = isExcluded && part.reach == .below && isClosed[.exactly(part.name)] == true ? [] : [name, name + "."]
    return own + (part.reach == .below ? ["*.\(name)", "*.\(name)."] : [])
  }

  private mutating func omitAll(_ gap: StaticGap) {
    rules = []
    for item in items where item.isBlocked { book.omit(item, gap) }
  }

  /// The value of the switch, without a line end. A shell and `QTWEBENGINE_CHROMIUM_FLAGS` need quotes around it.
  package var value: String { rules.joined(separator: ",") }
}

extension HostSet.Entry {
  fileprivate var isInNetworks: Bool { reach == .network || Self.isAddress(name) }

  /// An address of IPv4, or a network of them.
  fileprivate var isIPv4: Bool { isInNetworks && !name.hasPrefix("[") }

  /// It has neither wildcards nor separators of rules.
  fileprivate var isPlain: Bool { name.unicodeScalars.allSatisfy(Self.isPlain) }

  fileprivate static func isPlain(_ letter: Unicode.Scalar) -> Bool {
    switch letter {
    case "a"..."z", "0"..."9", ".", "-", "_", ":", "[", "]": true
    default: false
    }
  }
}
