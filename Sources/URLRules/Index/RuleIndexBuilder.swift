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
  private var listRules: [Int32: [Int32]] = [:]
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
  package mutating func add(_ rule: Int32, _ keys: [IndexKey]?, or texts: [IndexKey]? = nil) {
    guard let keys, keys.allSatisfy(canFile) else {
      residual.append(rule)
      return
    }
    if let texts, keys.allSatisfy(\.isHost) { return choosing.append((rule, keys, texts)) }
    for key in keys { file(rule, under: key) }
  }

  private func canFile(_ key: IndexKey) -> Bool {
    switch key {
    case .host, .network, .text: true
    case .url(let href): href.count <= FlatTable.maximumName
    // What is in a list that nobody knows is not known.
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
