internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Compares the list files that the rules of two configurations name: how many entries came and went, and the first of
/// them.
///
/// A file with the same bytes holds the same. Other host lists are compared by their compiled tables, so comments,
/// order, repetitions and names below others make no difference; the cost does not grow with the lists.
struct ListComparison {
  /// The lists of one configuration.
  struct Side {
    private(set) var files: [String: ListFile] = [:]
    private(set) var numbers: [String: HostListNumber] = [:]
    private(set) var uses: [String: Set<DifferenceDirection>] = [:]
    private(set) var hosts = HostLists.empty

    init(_ files: [ListFile]) {
      self.files = Dictionary(files.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Takes the lists that a rule names.
    ///
    /// - Parameter more: the direction of a rule that holds of more URLs.
    mutating func add(_ condition: Condition, more: DifferenceDirection) {
      switch condition {
      case .list(let number, let file):
        numbers[file] = number
        uses[file, default: []].insert(more)
      case .filters(_, let file): if !file.isEmpty { uses[file, default: []].insert(more) }
      case .all(let parts), .any(let parts): for part in parts { add(part, more: more) }
      case .not(let part): add(part, more: more.reversed)
      case .from(let part): add(part, more: more)
      default: break
      }
    }

    mutating func add(_ set: RuleSet) {
      for rule in set.rules { add(rule.condition, more: rule.verdict == .internal ? .looser : .tighter) }
      if set.lists.count > 0 { hosts = set.lists }
    }

    /// Links that leave the protection, and links that belong to a managed program.
    mutating func add(_ links: LinkList, more: DifferenceDirection) {
      for rule in links.rules.rules { add(rule.condition, more: more) }
      if links.rules.lists.count > 0 { hosts = links.rules.lists }
    }
  }

  private let old: Side
  private let new: Side
  private let files: any FileSource
  private var differences: [ConfigurationDifference] = []

  /// The lists that both name.
  static func differences(_ old: Side, _ new: Side, files: any FileSource) -> [ConfigurationDifference] {
    var comparison = ListComparison(old: old, new: new, files: files)
    comparison.compare()
    return comparison.differences
  }

  private init(old: Side, new: Side, files: any FileSource) {
    self.old = old
    self.new = new
    self.files = files
  }

  private mutating func compare() {
    var hostLists: [(before: ListFile, after: ListFile)] = []
    for (name, before) in old.files.sorted(by: { $0.key < $1.key }) {
      guard let after = new.files[name], before.hash != after.hash || before.format != after.format else { continue }
      switch (before.format == .urlFilters, after.format == .urlFilters) {
      case (false, false): hostLists.append((before, after))
      case (true, true): compareFilters(before, after)
      default: add(before, after, key: "format", [], [])
      }
    }
    compareHosts(hostLists)
  }

  // MARK: Host lists

  private mutating func compareHosts(_ lists: [(before: ListFile, after: ListFile)]) {
    guard !lists.isEmpty else { return }
    let numbers = lists.map { (old.numbers[$0.before.name] ?? .missing, new.numbers[$0.after.name] ?? .missing) }
    let limit = ConfigurationDifference.maximumExamples
    let gone = old.hosts.missing(in: new.hosts, pairs: numbers.map { ($0.0, $0.1) }, examples: limit)
    let came = new.hosts.missing(in: old.hosts, pairs: numbers.map { ($0.1, $0.0) }, examples: limit)
    for (index, list) in lists.enumerated() where gone[index].count + came[index].count > 0 {
      add(list.before, list.after, key: "entries", gone[index].examples, came[index].examples) { difference in
        (difference.removedCount, difference.addedCount) = (gone[index].count, came[index].count)
      }
    }
  }

  // MARK: Lists of URL filters

  /// Reads both again: a compiled list has no texts. A number stands for each text during the comparison.
  private mutating func compareFilters(_ before: ListFile, _ after: ListFile) {
    let gone = FilterTexts(of: before, notIn: after, files)
    let came = FilterTexts(of: after, notIn: before, files)
    guard gone.count + came.count > 0 else { return }
    add(before, after, key: "entries", gone.examples, came.examples) { difference in
      (difference.removedCount, difference.addedCount) = (gone.count, came.count)
    }
  }

  // MARK: Words

  private mutating func add(
    _ before: ListFile, _ after: ListFile, key: String, _ gone: [String], _ came: [String],
    _ complete: (inout ConfigurationDifference) -> Void = { _ in }
  ) {
    var difference = ConfigurationDifference(
      kind: "list", name: before.name, key: key, direction: .sideways,
      before: DifferenceSide(value: before.words, place: place(of: gone.first, in: before)),
      after: DifferenceSide(value: after.words, place: place(of: came.first, in: after)))
    (difference.removed, difference.added) = (gone, came)
    complete(&difference)
    difference.direction = direction(of: difference)
    differences.append(difference)
  }

  /// More entries go the way of the rules that name the list, when those all go one way.
  private func direction(of difference: ConfigurationDifference) -> DifferenceDirection {
    let uses = (old.uses[difference.name] ?? []).union(new.uses[difference.name] ?? [])
    guard uses.count == 1, let more = uses.first else { return .sideways }
    switch (difference.addedCount > 0, difference.removedCount > 0) {
    case (true, false): return more
    case (false, true): return more.reversed
    default: return .sideways
    }
  }

  /// The line of an entry, found by reading the file again.
  private func place(of entry: String?, in list: ListFile) -> String {
    guard let entry else { return list.path.escapedForDisplay }
    let line = list.format == .urlFilters ? FilterTexts.line(of: entry, in: list, files) : line(of: entry, in: list)
    return list.path.escapedForDisplay + (line.map { ":\($0)" } ?? "")
  }

  private func line(of entry: String, in list: ListFile) -> Int? {
    var sought = SoughtHost(entry)
    ListReader(files: files).readAgain(list.placeBelowRoot, list.format, into: &sought)
    return sought.found.map(\.line)
  }
}

extension ListFile {
  fileprivate var words: String { "\(entries.grouped) \(format.rawValue)" }

  var placeBelowRoot: ListPlace { ListPlace(below: String(path.dropLast(name.utf8.count)), name: name) }
}

/// The texts of a list of URL filters that another one does not have.
struct FilterTexts {
  private(set) var count = 0
  private(set) var examples: [String] = []

  init(of list: ListFile, notIn other: ListFile, _ files: any FileSource) {
    var known: Set<Digest> = []
    Self.read(other, files) { text, _ in known.insert(Digest(text)) }
    var own: Set<Digest> = []
    Self.read(list, files) { text, _ in
      let digest = Digest(text)
      if !known.contains(digest) { own.insert(digest) }
    }
    count = own.count
    var examples: [String] = []
    var waiting = own
    Self.read(list, files) { text, _ in
      guard examples.count < ConfigurationDifference.maximumExamples, waiting.remove(Digest(text)) != nil else {
        return
      }
      examples.append(text)
    }
    self.examples = examples
  }

  static func line(of entry: String, in list: ListFile, _ files: any FileSource) -> Int? {
    var found: Int?
    read(list, files) { text, line in if text == entry, found == nil { found = line } }
    return found
  }

  /// Two numbers of 64 bits under seeds of this process: no author can choose texts that share them.
  private struct Digest: Hashable {
    let first: Int
    let second: Int

    init(_ text: String) {
      var hasher = Hasher()
      hasher.combine(text)
      first = hasher.finalize()
      hasher = Hasher()
      hasher.combine(1)
      hasher.combine(text)
      second = hasher.finalize()
    }
  }

  private static func read(_ list: ListFile, _ files: any FileSource, _ take: (String, Int) -> Void) {
    var ignored = Diagnostics()
    _ = ListReader(files: files).readFilters(
      list.placeBelowRoot,
      { text, line in
        take(text, line)
        return nil
      }, &ignored)
  }
}
