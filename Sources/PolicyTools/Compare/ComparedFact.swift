internal import PolicyFiles

/// One thing that a configuration says, in the form in which it compares: however it was written, and whether it was
/// written or holds by default.
struct ComparedFact: Sendable {
  enum Value: Sendable, Hashable {
    case one(String)
    /// Order and repetitions mean nothing: sorted, each once.
    case set([String])
  }

  /// The key below its thing: `clipboard.level`
  let key: String
  let value: Value
  /// Higher for a stricter value; nil where strictness is unclear.
  var rank: Int?
  /// The direction of a set that grows.
  var more = DifferenceDirection.sideways
  /// Its place in the files; nil for a default that no file states.
  var place: String?
  /// Told of a thing that only one side has, and never compared.
  var isOnlyTold = false
}

/// Something that has a name in a configuration, with everything that it says.
struct ComparedThing: Sendable {
  let kind: String
  let name: String
  /// Its place in the files.
  let place: String
  /// The direction of one more.
  var ifNew = DifferenceDirection.sideways
  var facts: [ComparedFact] = []

  var identity: [String] { [kind, name] }

  /// Its text in one line, shown for a thing that is new or gone.
  var summary: String? {
    let stated = facts.filter { $0.place != nil }
    let shown = stated.prefix(Self.maximumSummary).map { "\($0.key) \($0.value.text)" }
    guard !shown.isEmpty else { return nil }
    return shown.joined(separator: ", ") + (stated.count > shown.count ? ", ..." : "")
  }

  private static let maximumSummary = 6
}

extension ComparedFact.Value {
  /// As it would be written.
  var text: String {
    switch self {
    case .one(let text): text
    case .set(let values): "[\(values.joined(separator: ", "))]"
    }
  }
}

extension ComparedFact {
  /// The direction of a change to another value of the same key.
  func direction(to other: ComparedFact) -> DifferenceDirection {
    if case .set(let old) = value, case .set(let new) = other.value {
      let (old, new) = (Set(old), Set(new))
      if new.isSuperset(of: old) { return more }
      return old.isSuperset(of: new) ? more.reversed : .sideways
    }
    guard let rank, let otherRank = other.rank, rank != otherRank else { return .sideways }
    return rank < otherRank ? .tighter : .looser
  }
}

/// Gathers the facts of one thing.
struct FactWriter {
  private let places: PolicyPlaces
  /// The keys that lead to the thing in its file.
  private let path: [String]
  /// The file in which its keys must stand; a second thing of its name elsewhere says nothing of it.
  private let file: String?
  private(set) var facts: [ComparedFact] = []

  init(_ places: PolicyPlaces, _ path: [String]) {
    self.places = places
    self.path = path
    file = path.isEmpty ? nil : places[path]?.file
  }

  /// One value.
  mutating func add(_ key: String, _ value: String, rank: Int? = nil) {
    write(key, .one(value), rank: rank, more: .sideways)
  }

  /// One of some words, of which the first is the loosest.
  mutating func add(_ key: String, _ value: String, loosestFirst words: [String]) {
    write(key, .one(value), rank: words.firstIndex(of: value), more: .sideways)
  }

  /// A set of values, and the direction of its growth.
  mutating func add(_ key: String, _ values: [String], more: DifferenceDirection = .sideways) {
    write(key, .set(Set(values).sorted()), rank: nil, more: more)
  }

  /// A set of values whose growth is looser; `word` in place of none, which is the loosest.
  mutating func add(_ key: String, _ values: [String]?, loosestIfNone word: String) {
    guard let values else { return write(key, .one(word), rank: 0, more: .looser) }
    write(key, .set(Set(values).sorted()), rank: 1, more: .looser)
  }

  /// A key that leads through names which may hold dots.
  mutating func add(_ keys: [String], _ value: String, rank: Int? = nil) {
    facts.append(
      ComparedFact(key: keys.joined(separator: "."), value: .one(value), rank: rank, place: place(of: keys)))
  }

  /// Adds any new field of `value` under its own name, so its differences are told without a line here. `known` are the
  /// fields that the facts above cover.
  mutating func addFields(of value: Any, but known: Set<String>) {
    for child in Mirror(reflecting: value).children {
      guard let name = child.label, !known.contains(name) else { continue }
      write(name, .one("\(child.value)"), rank: nil, more: .sideways)
    }
  }

  private mutating func write(
    _ key: String, _ value: ComparedFact.Value, rank: Int?, more: DifferenceDirection
  ) {
    let keys = key.split(separator: ".").map(String.init)
    facts.append(ComparedFact(key: key, value: value, rank: rank, more: more, place: place(of: keys)))
  }

  private func place(of keys: [String]) -> String? {
    places[path + keys].flatMap { file == nil || $0.file == file ? $0.description : nil }
  }
}

extension Int {
  /// The rank of a time until which something is only monitored: the later the looser, and none is strictest.
  static func rank(monitoredUntil time: Int64?) -> Int { time.map { Int(clamping: -Swift.max($0, -.max)) } ?? .max }
}

/// Compares the facts of two configurations on the same things.
struct ThingComparison {
  private(set) var differences: [ConfigurationDifference] = []

  /// The differences of things, by kind and name: those that both have or that went, in the old order, then the new.
  mutating func compare(_ old: [ComparedThing], _ new: [ComparedThing]) {
    let after = Dictionary(new.map { ($0.identity, $0) }) { first, _ in first }
    var known: Set<[String]> = []
    for thing in old where known.insert(thing.identity).inserted {
      if let other = after[thing.identity] { compare(thing, other) } else { add(gone: thing) }
    }
    for thing in new where known.insert(thing.identity).inserted { add(new: thing) }
  }

  /// The differences of one thing that both have.
  mutating func compare(_ old: ComparedThing, _ new: ComparedThing) {
    let after = Dictionary(new.facts.map { ($0.key, $0) }) { first, _ in first }
    for fact in old.facts where !fact.isOnlyTold {
      guard let other = after[fact.key] else {
        add(old, new, fact, ComparedFact(key: fact.key, value: fact.value.absent, more: fact.more))
        continue
      }
      if fact.value != other.value { add(old, new, fact, other) }
    }
    let before = Set(old.facts.map(\.key))
    for fact in new.facts where !before.contains(fact.key) && !fact.isOnlyTold {
      add(old, new, ComparedFact(key: fact.key, value: fact.value.absent, more: fact.more), fact)
    }
  }

  mutating func add(gone thing: ComparedThing) {
    differences.append(
      ConfigurationDifference(
        kind: thing.kind, name: thing.name, key: "", direction: thing.ifNew.reversed,
        before: DifferenceSide(value: thing.summary, place: thing.place), after: DifferenceSide()))
  }

  mutating func add(new thing: ComparedThing) {
    differences.append(
      ConfigurationDifference(
        kind: thing.kind, name: thing.name, key: "", direction: thing.ifNew, before: DifferenceSide(),
        after: DifferenceSide(value: thing.summary, place: thing.place)))
  }

  mutating func add(_ difference: ConfigurationDifference) { differences.append(difference) }

  private mutating func add(_ old: ComparedThing, _ new: ComparedThing, _ before: ComparedFact, _ after: ComparedFact) {
    var difference = ConfigurationDifference(
      kind: old.kind, name: old.name, key: before.key, direction: before.direction(to: after),
      before: DifferenceSide(before, of: old), after: DifferenceSide(after, of: new))
    if case .set(let one) = before.value, case .set(let other) = after.value {
      difference.added = Set(other).subtracting(one).sorted()
      difference.removed = Set(one).subtracting(other).sorted()
      (difference.addedCount, difference.removedCount) = (difference.added.count, difference.removed.count)
    }
    differences.append(difference)
  }
}

extension ComparedFact.Value {
  /// Placeholder for a key that one side lacks.
  fileprivate var absent: Self {
    switch self {
    case .one: .one("nothing")
    case .set: .set([])
    }
  }
}

extension DifferenceSide {
  fileprivate init(_ fact: ComparedFact, of thing: ComparedThing) {
    self.init(value: fact.value.text, isStated: fact.place != nil, place: fact.place ?? thing.place)
  }
}

/// The fields of each type of a policy that the comparison speaks of, each under its key and with its direction, or that
/// decide nothing, as places do.
///
/// A test holds them against the types. A field that is missing here is compared all the same, under its own name and
/// `sideways`, so that no difference is silent for want of a line.
package enum ComparedFields {
  package static let protection: Set<String> = [
    "name", "accountPatterns", "groups", "webTransfer", "externalInPlace", "clipboard", "send", "receive", "save",
    "open", "managedApps", "printing", "screenCapture", "notifications", "indexing", "contacts", "widgets", "backup",
    "assistants",
    "automation", "writingTools", "inputMethods", "requiresInspection", "encrypt", "encryptBy", "unlock",
    "recheckAfter", "telecommunication", "messaging", "exemptSchemes", "managedSchemes", "monitoredUntil", "warn",
    "conditions",
    "notCheckedAfter", "location",
  ]
  package static let clipboard: Set<String> = ["level", "exceptionLength", "exceptionPerMinute", "replacement"]
  package static let app: Set<String> = [
    "name", "peers", "identityMode", "managedAccounts", "account", "untilIdentity", "unlocks",
    "treatAllWebViewsAsUnmanaged", "authViewersUnprotected", "handledSchemes", "dataDirectories", "popups", "classes",
    "record", "monitoredUntil", "location", "accounts",
    // Made of the classes.
    "strictestRuleSets", "unknownViewersAreAlwaysJudged",
  ]
  package static let viewerClass: Set<String> = [
    "name", "policy", "ruleSet", "rulesApply", "subFrames", "signIn", "location",
  ]
  package static let peer: Set<String> = ["uid", "group", "unit", "label", "socket", "sameUser"]
  package static let appAccounts: Set<String> = ["sources", "allowed"]
  package static let enrollment: Set<String> = ["retry", "checkIn", "forgetAfter", "signInHolds"]
  package static let account: Set<String> = ["upn", "objectID", "protection", "state", "user", "since", "location"]
  package static let wipe: Set<String> = ["mode", "causes", "delay", "answerTime", "approvals", "offlineAfter"]
  package static let browsers: Set<String> = ["managed", "unmanaged"]
  package static let managedBrowser: Set<String> = ["program", "app", "apps", "alternatives"]
  package static let unmanagedBrowser: Set<String> = ["program", "scheme"]
  package static let program: Set<String> = ["desktopID", "command", "template"]
  package static let texts: Set<String> = ["standard", "localized"]
  package static let language: Set<String> = [
    "replacement", "notification", "organization", "contact", "name", "contactLink", "color", "darkColor", "reasons",
  ]
  package static let appConfig: Set<String> = ["name", "app", "targets", "values", "location"]
  package static let rule: Set<String> = [
    "id", "verdict", "condition", "purposes", "then", "message", "expires", "takesCredentials", "monitoredUntil",
    "place", "location",
  ]
  /// Lists are compared by the rules that name them; tests, places and the digest decide nothing.
  package static let policy: Set<String> = [
    "policyRequired", "apps", "accounts", "protections", "ruleSets", "lists", "browsers", "links", "texts",
    "enrollment", "wipe", "escrow", "appConfig",
    "tests", "places", "digest",
  ]
}
