internal import GuardModel
internal import URLRules

/// Tells why a part of the hosts is not closed, from the items that name the part or something that it lies in.
///
/// The first item that takes all of a part decides. Each item is looked at once for each of its hosts, and then a part
/// costs as many looks as it has names above it: thousands of rules with a host each are not compared with each other.
///
///     let rows = HostRows(items, open, parts)
///     rows.gap(at: .exactly("a.example"), for: .page)    // nil: every page of the host is blocked
struct HostRows {
  /// The items of one name and purpose, by their places among all items.
  private struct Row {
    /// The first that lets something pass, that blocks whole hosts, and that blocks some of their URLs.
    var passing = Int.max
    var whole = Int.max
    var partly = Int.max
    /// Items with a rule behind those of all items before them.
    var rules: [(place: Int, rule: RuleNumber)] = []

    mutating func add(_ item: StaticRules.Item, at place: Int) {
      if !item.isBlocked {
        passing = min(passing, place)
      } else if item.term.takesWholeHosts {
        whole = min(whole, place)
      } else {
        partly = min(partly, place)
      }
      if rules.last.map({ item.rule > $0.rule }) ?? true { rules.append((place, item.rule)) }
    }

    /// Whether an item up to this place has a rule behind the given one.
    func hasRule(behind rule: RuleNumber, upTo end: Int) -> Bool {
      let next = rules.partitioningIndex { $0.place > end }
      return next > 0 && rules[next - 1].rule > rule
    }
  }

  private static let purposes: [Purposes] = [.page, .frame, .resource]

  /// One row for each purpose; `nil` is every host.
  private var rows: [HostSet.Entry?: [Row]] = [:]
  /// The first rule that cannot be said, likewise.
  private var openings: [HostSet.Entry?: [Int]] = [:]
  private let open: [StaticRules.Open]

  /// - Parameter parts: those that will be asked about, beside every host.
  init(_ items: [StaticRules.Item], _ open: [StaticRules.Open], _ parts: [HostSet.Entry]) {
    self.open = open
    let asked = Set(parts).union(parts.flatMap(\.wider))
    for (place, item) in items.enumerated() {
      for entry in item.term.hosts.named(among: asked) { note(item, at: place, entry) }
    }
    for (place, opening) in open.enumerated() {
      for entry in opening.term.hosts.named(among: asked) { note(opening, at: place, entry) }
    }
  }

  private mutating func note(_ item: StaticRules.Item, at place: Int, _ entry: HostSet.Entry?) {
    for (number, purpose) in Self.purposes.enumerated() where !item.purposes.isDisjoint(with: purpose) {
      rows[entry, default: Self.purposes.map { _ in Row() }][number].add(item, at: place)
    }
  }

  private mutating func note(_ opening: StaticRules.Open, at place: Int, _ entry: HostSet.Entry?) {
    for (number, purpose) in Self.purposes.enumerated() where !opening.purposes.isDisjoint(with: purpose) {
      let first = openings[entry]?[number] ?? .max
      openings[entry, default: Self.purposes.map { _ in .max }][number] = min(first, place)
    }
  }

  /// Why a part is not closed; nil when nothing of it loads in any way.
  func gap(at part: HostSet.Entry?) -> StaticGap? {
    let names = [nil, part] + (part?.wider ?? []).map(Optional.some)
    let rows = names.compactMap { self.rows[$0] }
    let openings = names.compactMap { self.openings[$0] }
    for (number, purpose) in Self.purposes.enumerated() {
      let first = openings.map { $0[number] }.min() ?? .max
      if let gap = gap(rows.map { $0[number] }, first < open.count ? open[first] : nil, purpose) { return gap }
    }
    return nil
  }

  private func gap(_ rows: [Row], _ opening: StaticRules.Open?, _ purpose: Purposes) -> StaticGap? {
    let passing = rows.map(\.passing).min() ?? .max
    let whole = rows.map(\.whole).min() ?? .max
    let end = min(passing, whole)
    if let opening, rows.contains(where: { $0.hasRule(behind: opening.rule, upTo: end) }) { return opening.gap }
    let isPartly = rows.contains { $0.partly < end }
    if passing < whole { return isPartly ? .wholeHosts : .openHost }
    // Frames that no rule names are held to be pages.
    if whole < .max || purpose == .frame { return nil }
    return isPartly ? .wholeHosts : .everyUse
  }
}

extension HostSet {
  /// Its entries that are asked about; `nil` for every host.
  fileprivate func named(among asked: Set<Entry>) -> [Entry?] { entries?.filter(asked.contains) ?? [nil] }
}

extension StaticTerm {
  /// Nothing but the host matters.
  var takesWholeHosts: Bool {
    schemes == .web && port == nil && place == .any && query.isEmpty && texts.isEmpty
  }
}
