internal import GuardModel
internal import PolicyEngine
package import PolicyFiles
package import URLRules

/// The rule set to export, and a policy's statements about it.
package struct ExportSource {
  package var ruleSet: RuleSet
  /// SHA-256 of the policy's files; nil for a rule file.
  package var digest: String?
  /// External rules without `then` load in place under every protection that counts.
  package var loadsInPlace = false
  /// Parts that only monitor and enforce nothing, each with its place and its end.
  var monitored: [MonitoredPart] = []
  /// Nothing is enforced.
  var isMonitored = false
  /// Purposes for which the daemon asks an external default: pages, and frames of classes that judge them.
  var closedByDefault: Purposes = []

  /// A rule file, of which every external rule blocks; or one under a policy in which those without `then` do not.
  package init(ruleSet: RuleSet, loadsInPlace: Bool = false, judgesFrames: Bool = false) {
    self.ruleSet = ruleSet
    self.loadsInPlace = loadsInPlace
    closedByDefault = judgesFrames ? [.page, .frame] : .page
  }

  /// An external default as a rule behind all others; nil where nothing is stopped by it.
  package var closingRule: Rule? {
    guard ruleSet.default == .external, !closedByDefault.isEmpty, !loadsInPlace, !isMonitored else { return nil }
    return Rule(
      id: "default", verdict: .external, condition: .all([]), purposes: closedByDefault,
      location: ruleSet.defaultLocation.isEmpty ? ruleSet.name : ruleSet.defaultLocation)
  }
}

/// The chosen part of a policy cannot be exported: it is not there, or it is not one.
package struct ExportProblem: Error, Hashable {
  package let message: String

  init(_ message: String) { self.message = message }
}

/// The chosen part of a policy.
package struct ExportChoice {
  var app: String?
  var viewerClass: String?
  var protection: String?

  package init(app: String? = nil, viewerClass: String? = nil, protection: String? = nil) {
    self.app = app
    self.viewerClass = viewerClass
    self.protection = protection
  }
}

extension ExportSource {
  /// A part of the policy that counts, as the command line chooses it.
  package init(_ policy: LoadedPolicy, _ choice: ExportChoice, at time: Int64) throws(ExportProblem) {
    let snapshot = policy.snapshot(generation: 1, at: time)
    let ruledClasses = try Self.ruledClasses(in: snapshot, choice)
    let protections = try Self.protections(of: snapshot, choice)
    guard let first = ruledClasses.first else { throw ExportProblem("no viewer class of the policy has a rule set") }
    guard ruledClasses.allSatisfy({ $0.ruleSet == first.ruleSet && $0.app.isMonitored == first.app.isMonitored }) else {
      throw ExportProblem(
        "the policy has several answers; choose one with --app and --class: \(Self.list(ruledClasses))")
    }
    ruleSet = snapshot[first.ruleSet]
    closedByDefault = ruledClasses.allSatisfy(\.judgesFrames) ? [.page, .frame] : .page
    digest = policy.digest
    let enforced = protections.filter { !$0.isMonitored }
    loadsInPlace = enforced.allSatisfy { $0.webTransfer == .any }
    isMonitored = first.app.isMonitored || !protections.isEmpty && enforced.isEmpty
    let apps = Set(ruledClasses.filter(\.app.isMonitored).map(\.app.name))
    let names = Set(protections.filter(\.isMonitored).map(\.name))
    monitored = policy.monitoredParts.filter {
      $0.kind == .app && apps.contains($0.name) || $0.kind == .protection && names.contains($0.name)
    }
  }

  /// A class of an app with the rule set that is fixed for it.
  private struct RuledClass {
    var app: App
    var name: String
    var ruleSet: RuleSetIndex
    var ruleSetName: String
    var judgesFrames: Bool
  }

  private static func ruledClasses(in snapshot: Snapshot, _ choice: ExportChoice) throws(ExportProblem) -> [RuledClass]
  {
    let apps = snapshot.apps.filter { choice.app == nil || $0.name == choice.app }
    guard !apps.isEmpty else {
      throw ExportProblem("there is no app \(choice.app?.quoted ?? ""), but \(snapshot.apps.map(\.name).quotedList)")
    }
    let classes = apps.flatMap { app in app.classes.map { (app, $0) } }
    let chosen = classes.filter { choice.viewerClass == nil || $0.1.name == choice.viewerClass }
    guard !chosen.isEmpty || choice.viewerClass == nil else {
      throw ExportProblem(
        "there is no class \(choice.viewerClass?.quoted ?? ""), but \(Set(classes.map(\.1.name)).sorted().quotedList)")
    }
    let ruledClasses = chosen.compactMap { app, viewerClass in
      viewerClass.ruleSet.map {
        RuledClass(
          app: app, name: viewerClass.name, ruleSet: $0, ruleSetName: snapshot[$0].name,
          judgesFrames: viewerClass.subFrames)
      }
    }
    if ruledClasses.isEmpty, let name = choice.viewerClass {
      throw ExportProblem("class \(name.quoted) leaves its rules to the app; export a file with --rules")
    }
    return ruledClasses
  }

  private static func protections(
    of snapshot: Snapshot, _ choice: ExportChoice
  ) throws(ExportProblem) -> [Protection] {
    guard let name = choice.protection else { return snapshot.protections }
    let found = snapshot.protections.filter { $0.name == name }
    guard !found.isEmpty else {
      throw ExportProblem("there is no protection \(name.quoted), but \(snapshot.protections.map(\.name).quotedList)")
    }
    return found
  }

  private static func list(_ ruledClasses: [RuledClass]) -> String {
    ruledClasses.map { ruled in
      let monitored = ruled.app.isMonitored ? ", only monitored" : ""
      return "\("\(ruled.app.name)/\(ruled.name)".quoted) (\(ruled.ruleSetName.quoted)\(monitored))"
    }.joined(separator: ", ")
  }
}

/// The hosts that a static rule speaks of.
///
///     HostSet([.below("contoso.com"), .exactly("127.0.0.1")])
///     HostSet.every
///
/// Two entries are either apart or one lies in the other, so the common part of two sets is made of entries of both.
package struct HostSet: Sendable, Hashable {
  package enum Reach: UInt8, Sendable, Hashable {
    case exactly
    /// The host and everything below it.
    case below
    /// IPv4 addresses that begin so: `10.`
    case network
  }

  package struct Entry: Sendable, Hashable, Comparable {
    package let name: String
    package let reach: Reach

    package static func exactly(_ name: String) -> Entry { Entry(name: name, reach: .exactly) }

    /// An address has nothing below it, and is taken exactly.
    package static func below(_ name: String) -> Entry {
      Entry(name: name, reach: isAddress(name) ? .exactly : .below)
    }

    package static func network(_ start: String) -> Entry { Entry(name: start, reach: .network) }

    static func isAddress(_ name: String) -> Bool {
      guard let last = name.utf8.last, last == UInt8(ascii: "]") || ByteSet.digits.contains(last) else { return false }
      return HostShape.isAddress(Array(name.utf8))
    }

    /// The names that it lies below, the nearest first. An address lies below none.
    var parents: [Substring] {
      guard reach != .network, !Self.isAddress(name) else { return [] }
      var found: [Substring] = []
      var rest = name[...]
      while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
        rest = rest[rest.utf8.index(after: dot)...]
        found.append(rest)
      }
      return found
    }

    package static func < (one: Entry, other: Entry) -> Bool {
      one.name == other.name ? one.reach.rawValue < other.reach.rawValue : one.name < other.name
    }
  }

  /// In order, none in another; nil for every host.
  package let entries: [Entry]?
  private let networks: [Entry]
  /// The names that entries lie below.
  private let parents: Set<Substring>

  package static let every = HostSet(every: ())

  private init(every: Void) {
    entries = nil
    networks = []
    parents = []
  }

  package init(_ some: [Entry]) {
    let sorted = some.sorted()
    var unique: [Entry] = []
    unique.reserveCapacity(sorted.count)
    for entry in sorted where unique.last != entry { unique.append(entry) }
    networks = unique.filter { $0.reach == .network }
    let all = HostSet(sorted: unique, networks: networks)
    let kept = unique.filter { !all.holdsMore(than: $0) }
    entries = kept
    var parents: Set<Substring> = []
    for entry in kept {
      for parent in entry.parents {
        guard parents.insert(parent).inserted else { break }
      }
    }
    self.parents = parents
  }

  private init(sorted: [Entry], networks: [Entry]) {
    entries = sorted
    self.networks = networks
    parents = []
  }

  package var isEmpty: Bool { entries?.isEmpty ?? false }

  /// Every host that both take.
  package func intersection(_ other: HostSet) -> HostSet {
    guard let mine = entries else { return other }
    guard let theirs = other.entries else { return self }
    return HostSet(part(of: mine, in: other) + other.part(of: theirs, in: self))
  }

  package func intersects(_ other: HostSet) -> Bool {
    guard let mine = entries else { return !other.isEmpty }
    guard let theirs = other.entries else { return !isEmpty }
    let (few, many) = mine.count <= theirs.count ? (mine, other) : (theirs, self)
    return few.contains { many.contains($0) || many.holdsPart(of: $0) }
  }

  /// Whether an entry lies in the given one.
  private func holdsPart(of entry: Entry) -> Bool {
    switch entry.reach {
    case .exactly: has(entry)
    case .below: has(entry) || has(.exactly(entry.name)) || parents.contains(entry.name[...])
    case .network:
      entries?[place(of: entry)...].prefix { $0.name.hasPrefix(entry.name) }
        .contains { $0.reach == .network || Entry.isAddress($0.name) } ?? true
    }
  }

  private func part(of mine: [Entry], in other: HostSet) -> [Entry] {
    mayLie(in: other) ? mine.filter(other.contains) : []
  }

  /// False when no entry lies in one of the other's. A long list is then not looked through.
  private func mayLie(in other: HostSet) -> Bool {
    guard let mine = entries, let theirs = other.entries, mine.count > theirs.count else { return true }
    return theirs.contains(where: holdsPart)
  }

  /// Whether every host of `other` is one of these.
  package func contains(_ other: HostSet) -> Bool {
    guard entries != nil else { return true }
    return other.entries?.allSatisfy(contains) ?? false
  }

  /// Whether every host of the entry is one of these.
  package func contains(_ entry: Entry) -> Bool {
    guard entries != nil else { return true }
    return has(entry) || holdsMore(than: entry)
  }

  /// Whether the entry lies in one that is larger.
  private func holdsMore(than entry: Entry) -> Bool {
    switch entry.reach {
    case .network: return networks.contains { $0 != entry && entry.name.hasPrefix($0.name) }
    case .exactly where Entry.isAddress(entry.name):
      return networks.contains { entry.name.hasPrefix($0.name) }
    case .exactly: if has(.below(entry.name)) { return true }
    case .below: break
    }
    return entry.parents.contains { has(Entry(name: String($0), reach: .below)) }
  }

  private func has(_ entry: Entry) -> Bool {
    guard let entries else { return true }
    let place = place(of: entry)
    return place < entries.count && entries[place] == entry
  }

  /// The place of the first entry that is not before the given one.
  private func place(of entry: Entry) -> Int {
    guard let entries else { return 0 }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle] < entry { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension HostLists {
  /// The hosts that a list takes. Makes a string for each of its names.
  func hosts(of list: HostListNumber) -> HostSet {
    var entries: [HostSet.Entry] = []
    let isIn = (0..<sets.count).map { sets.contains(list, in: UInt32($0)) }
    table.forEach { name, set in
      guard isIn[Int(set)] else { return }
      entries.append(.below(name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
    }
    return HostSet(entries)
  }
}
