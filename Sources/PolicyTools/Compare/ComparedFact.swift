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

  /// A key that leads through names which may hold dots.
  mutating func add(_ keys: [String], _ value: String, rank: Int? = nil) {
    facts.append(
      ComparedFact(key: keys.joined(separator: "."), value: .one(value), rank: rank, place: place(of: keys)))
  }

  /// A fact of another place than the key's own.
  mutating func add(_ fact: ComparedFact) { facts.append(fact) }

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
