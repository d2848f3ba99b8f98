package import GuardModel
package import URLStandard

/// The rules of a rule set by the keys they cannot match without: URL, host and path, network, list; and the rest.
///
/// The order of the stages is that of their cost; it changes no answer, since the smallest rule number wins.
package struct RuleIndex: Sendable {
  let postings: Postings
  let urls: URLIndex
  let hosts: HostIndex
  let networks: NetworkIndex
  /// The rules for each set of host lists, by its number; empty when no rule is filed under a list.
  let lists: [PostingList]
  let texts: TextIndex
  /// Rules with a pattern that cannot be searched for; they are among the residual ones.
  let unsearchable: [Int32]
  /// Rules that are looked at for every URL.
  let residual: PostingList

  /// Calls `body` with lists that hold every rule which may match the record, but for those found by a text and the
  /// residual ones; returns how many buckets and nodes were looked at. `sets` is the set of lists that the host is in.
  @inline(__always)
  func forEachList(of record: borrowing URLRecord, sets: UInt32, _ body: (PostingList) -> Void) -> Int {
    var probes = 0
    if !urls.isEmpty {
      probes &+= 1
      body(urls.list(of: record))
    }
    if !hosts.isEmpty { probes &+= hosts.forEachList(of: record, body) }
    if !networks.isEmpty, let address = IPAddress(hostOf: record) {
      probes &+= networks.forEachList(of: address, body)
    }
    if !lists.isEmpty { body(lists[Int(sets)]) }
    return probes
  }

  /// The rules that may match a record, ascending: those that are filed under a key which holds, and the residual ones.
  package func candidates(of record: borrowing URLRecord, lists: HostLists) -> [RuleNumber] {
    var work = SearchWork()
    let sets = lists.set(of: record, &work)
    var numbers = Set(postings.numbers(of: residual))
    _ = forEachList(of: record, sets: sets) { numbers.formUnion(postings.numbers(of: $0)) }
    texts.forEachList(in: record.bytes.span, RegexRunner()) { numbers.formUnion(postings.numbers(of: $0)) }
    return numbers.sorted().map(RuleNumber.init(place:))
  }
}

/// Rules by exact URL.
struct URLIndex: Sendable {
  private let table: FlatTable
  private let lists: [PostingList]
  private let hash = ByteHash.ofThisProcess

  /// URLs longer than `FlatTable.maximumName` cannot be filed.
  init(_ urls: [[UInt8]: PostingList]) {
    let hash = hash
    let sorted = urls.map { (hash: hash.hash($0.key.span.bytes), url: $0.key, rules: $0.value) }
      .sorted { $0.hash < $1.hash }
    var writer = FlatTableWriter(names: sorted.count, nameBytes: sorted.reduce(0) { $0 + $1.url.count })
    for (number, entry) in sorted.enumerated() {
      writer.append(entry.url.span.bytes, hash: entry.hash, value: UInt32(number))
    }
    table = writer.finish()
    lists = sorted.map(\.rules)
  }

  var isEmpty: Bool { lists.isEmpty }

  /// The rules for exactly this URL.
  func list(of record: borrowing URLRecord) -> PostingList {
    let text = record.bytes.span.bytes
    guard let number = table.value(of: text, hash: hash.hash(text)) else { return PostingList() }
    return lists[Int(number)]
  }
}

/// Lists of rule numbers, each ascending and without repetition, in one flat array.
struct Postings: Sendable {
  private var numbers: [Int32] = []

  subscript(_ index: Int32) -> Int32 {
    @inline(__always) get { numbers[Int(index)] }
  }

  func numbers(of list: PostingList) -> ArraySlice<Int32> { numbers[Int(list.start)..<Int(list.end)] }

  /// Adds a list; `rules` need be neither ascending nor free of repetition.
  mutating func add(_ rules: some Sequence<Int32>) -> PostingList {
    let start = Int32(numbers.count)
    var last: Int32 = -1
    for rule in rules.sorted() where rule != last {
      numbers.append(rule)
      last = rule
    }
    return PostingList(start: start, end: Int32(numbers.count))
  }
}

/// A list in `Postings`; the zero value is the empty list.
struct PostingList: Sendable {
  var start: Int32 = 0
  var end: Int32 = 0

  var isEmpty: Bool { start == end }
  var count: Int { Int(end - start) }
}

/// Files rules, in ascending order, under their keys.
///
///     var builder = RuleIndexBuilder(lists: .empty)
///     builder.add(0, [.host(Array("contoso.com".utf8), below: true, path: Array("/owa".utf8))])
///     builder.add(1, nil)                    // looked at for every URL
///     let index = builder.finish()
package struct RuleIndexBuilder {
  private var urls: [[UInt8]: [Int32]] = [:]
  private var hosts = HostIndexBuilder()
  private var networks: [IPNetwork: [Int32]] = [:]
  /// The rules of each list, by its number.
  private var listRules: [HostListNumber: [Int32]] = [:]
  /// The rules of each pattern that is searched for.
  private var texts: [String: [Int32]] = [:]
  /// Rules whose pattern cannot be searched for.
  private var unsearchable: [Int32] = []
  private var residual: [Int32] = []
  /// Rules that can be filed under hosts or under texts.
  private var choosing: [(rule: Int32, hosts: [IndexKey], texts: [IndexKey])] = []
  private let lists: HostLists

  /// When more rules have the same host and path, those that can are told apart by texts instead: each would be asked
  /// for every URL there.
  package static let mostAlike = 16

  package init(lists: HostLists) { self.lists = lists }

  /// Files a rule under all of its keys, or among those that are looked at for every URL. `texts` would do as well.
  package mutating func add(_ rule: RuleNumber, _ keys: [IndexKey]?, or texts: [IndexKey]? = nil) {
    guard let keys, keys.allSatisfy(canFile) else {
      residual.append(rule.place)
      return
    }
    if let texts, keys.allSatisfy(\.isHost) { return choosing.append((rule.place, keys, texts)) }
    for key in keys { file(rule.place, under: key) }
  }

  private func canFile(_ key: IndexKey) -> Bool {
    switch key {
    case .host, .network, .text: true
    case .url(let href): href.count <= FlatTable.maximumName
    // Membership in an unknown list is unknown.
    case .list(let list): lists.holds(list)
    }
  }

  private mutating func file(_ rule: Int32, under key: IndexKey) {
    switch key {
    case .host(let name, let below, let path): hosts.add(rule, host: name, below: below, path: path)
    case .url(let href): urls[href, default: []].append(rule)
    case .list(let list): listRules[list, default: []].append(rule)
    case .network(let network): networks[network, default: []].append(rule)
    case .text(let pattern): texts[pattern, default: []].append(rule)
    }
  }

  /// Files rules under their hosts, or those of a crowd under their texts.
  private mutating func choose() {
    var counts: [IndexKey: Int] = [:]
    for key in choosing.lazy.flatMap(\.hosts) { counts[key, default: 0] += 1 }
    for (rule, hosts, texts) in choosing {
      let isCrowded = hosts.contains { counts[$0, default: 0] > Self.mostAlike }
      for key in isCrowded ? texts : hosts { file(rule, under: key) }
    }
    choosing = []
  }

  package mutating func finish() -> RuleIndex {
    choose()
    var postings = Postings()
    let hosts = hosts.finish(&postings)
    let urls = URLIndex(urls.mapValues { postings.add($0) })
    let networks = NetworkIndex(networks.mapValues { postings.add($0) })
    let listRules = rulesOfSets(&postings)
    let texts = textIndex(&postings)
    let residual = postings.add(residual)
    return RuleIndex(
      postings: postings, urls: urls, hosts: hosts, networks: networks, lists: listRules, texts: texts,
      unsearchable: unsearchable, residual: residual)
  }

  /// Rules of patterns that cannot be searched for join those that are looked at for every URL.
  private mutating func textIndex(_ postings: inout Postings) -> TextIndex {
    let patterns = texts.keys.sorted()
    let search = TextSearch(patterns)
    var rules = patterns.map { texts[$0] ?? [] }
    for index in search.alwaysChecked {
      unsearchable += rules[Int(index)]
      rules[Int(index)] = []
    }
    residual += unsearchable
    return TextIndex(search, rules) { postings.add($0) }
  }

  /// The rules of each set of lists; sets that lead to the same rules share a list of them.
  private func rulesOfSets(_ postings: inout Postings) -> [PostingList] {
    guard !listRules.isEmpty else { return [] }
    var known: [Set<Int32>: PostingList] = [:]
    return (0..<lists.sets.count).map { set in
      let rules = Set(lists.sets.lists(of: UInt32(set)).flatMap { listRules[$0] ?? [] })
      if let list = known[rules] { return list }
      let list = postings.add(rules)
      known[rules] = list
      return list
    }
  }
}

extension IndexKey {
  fileprivate var isHost: Bool { if case .host = self { true } else { false } }
}

/// Takes rules with their host keys, in ascending order, and makes an index of them.
struct HostIndexBuilder {
  private struct Entry {
    var host: Int32
    var rule: Int32
    var below: Bool
    /// Index in `paths`, or -1 for every path.
    var path: Int32
  }

  private var hosts: [[UInt8]: Int32] = [:]
  private var paths: [[UInt8]] = []
  private var entries: [Entry] = []

  /// Files a rule.
  mutating func add(_ rule: Int32, host: [UInt8], below: Bool, path: [UInt8]) {
    // No URL is that long, so nothing can match.
    guard host.count <= FlatTable.maximumName else { return }
    let next = Int32(hosts.count)
    let number = hosts[host] ?? next
    if number == next { hosts[host] = next }
    if !path.isEmpty { paths.append(path) }
    let last = path.isEmpty ? -1 : Int32(paths.count - 1)
    entries.append(Entry(host: number, rule: rule, below: below, path: last))
  }

  /// The index; its lists are appended to `postings`.
  consuming func finish(_ postings: inout Postings) -> HostIndex {
    let table = HostTable(hosts)
    var nodes: [HostIndex.Node] = []
    nodes.reserveCapacity(hosts.count)
    var tries = PathTrie()
    entries.sort { ($0.host, $0.rule) < ($1.host, $1.rule) }
    var start = 0
    while start < entries.count {
      let end = entries[start...].firstIndex { $0.host != entries[start].host } ?? entries.count
      nodes.append(node(entries[start..<end], &postings, &tries))
      start = end
    }
    return HostIndex(table, nodes, tries)
  }

  private func node(
    _ entries: ArraySlice<Entry>, _ postings: inout Postings, _ tries: inout PathTrie
  ) -> HostIndex.Node {
    var node = HostIndex.Node()
    let below = entries.filter(\.below)
    node.whole = postings.add(entries.lazy.filter { $0.path < 0 }.map(\.rule))
    node.wholePaths = trie(entries.filter { $0.path >= 0 }, &postings, &tries)
    guard below.count < entries.count else {
      node.below = node.whole
      node.belowPaths = node.wholePaths
      return node
    }
    node.below = postings.add(below.lazy.filter { $0.path < 0 }.map(\.rule))
    node.belowPaths = trie(below.filter { $0.path >= 0 }, &postings, &tries)
    return node
  }

  private func trie(_ entries: [Entry], _ postings: inout Postings, _ tries: inout PathTrie) -> Int32 {
    guard !entries.isEmpty else { return -1 }
    let rules = Dictionary(grouping: entries) { paths[Int($0.path)] }
    return tries.add(
      rules.map { PathTrie.Entry(prefix: $0.key, rules: postings.add($0.value.map(\.rule))) })
  }
}
