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
  private let lists: HostLists

  package init(lists: HostLists) { self.lists = lists }

  /// Files a rule under all of its keys, or among those that are looked at for every URL.
  package mutating func add(_ rule: Int32, _ keys: [IndexKey]?) {
    guard let keys, keys.allSatisfy(canFile) else {
      residual.append(rule)
      return
    }
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

  package mutating func finish() -> RuleIndex {
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
