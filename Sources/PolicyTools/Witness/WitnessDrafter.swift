internal import GuardModel
internal import URLRules
internal import URLStandard

/// Turns conditions into drafts of questions that may fulfil them. Whether they do is for the rule set to say.
struct WitnessDrafter {
  /// The names that stand for each list, by its number.
  let examples: [[String]]

  /// Maximum drafts that are followed at a time.
  private static let maximumDrafts = 48
  /// Maximum pages that are tried for one `from`.
  private static let maximumPages = 6

  /// The draft with a condition's demands added. Those of `http:` come last: a shown URL is read as an example.
  func drafts(for condition: Condition, from start: WitnessDraft = WitnessDraft()) -> [WitnessDraft] {
    let all = drafts(for: condition, from: [start])
    return all.filter { $0.scheme != "http" } + all.filter { $0.scheme == "http" }
  }

  /// The drafts with a condition's demands added, in every way that comes to mind. A new matcher is one line here.
  private func drafts(for condition: Condition, from drafts: [WitnessDraft]) -> [WitnessDraft] {
    switch condition {
    case .all(let parts): Self.lengthsLast(parts).reduce(drafts) { self.drafts(for: $1, from: $0) }
    case .any(let parts):
      interleaved(parts.prefix(Self.maximumDrafts).map { self.drafts(for: $0, from: drafts) })
    case .not: drafts
    case .domain(let name): each(drafts, HostShape.isAddress(name) ? [""] : ["", "www."]) { $0.below(name.text, $1) }
    case .host(let name): drafts.map { $0.with(\.host, name.text) }
    case .url(let href): drafts.map { $0.taking(url: href.text) }
    case .scheme(let name): drafts.map { $0.with(\.scheme, name.text) }
    case .port(let port): drafts.map { $0.with(\.port, port) }
    case .queryOver(let bytes): drafts.map { $0.with(\.query, $0.query(longerThan: Int(bytes))) }
    case .list(let list, _): each(drafts, examples(of: list)) { $0.with(\.host, $1) }
    case .network(let network): drafts.map { $0.with(\.host, network.exampleHost) }
    case .regex(let regex): interleaved(drafts.map { draft in interleaved(regex.samples.map(draft.holding)) })
    case .pattern(let pattern): each(drafts, pattern.samples) { $0.merged(with: $1) }
    case .filter(let filter): drafts.map { $0.merged(with: filter.sample) }
    case .filters(let filters, _): each(drafts, filters.samples) { $0.merged(with: $1) }
    case .same(let sameness): each(drafts, sameness.examples) { $0.with(\.document, $1) }
    case .sameSite: each(drafts, [.same, .otherPath, .otherHost]) { $0.with(\.document, $1) }
    case .from(let part): each(drafts, pages(for: part)) { $0.coming(from: $1) }
    case .hop(let wanted): drafts.map { $0.with(\.hop, wanted) }
    }
  }

  /// The other matchers say how the query begins.
  private static func lengthsLast(_ parts: [Condition]) -> [Condition] {
    let lengths = parts.filter(\.isLength)
    return lengths.isEmpty ? parts : parts.filter { !$0.isLength } + lengths
  }

  private func examples(of list: HostListNumber) -> [String] {
    examples.indices.contains(Int(list.place)) ? examples[Int(list.place)] : []
  }

  private func pages(for condition: Condition) -> [WitnessDraft] {
    Array(drafts(for: condition).prefix(Self.maximumPages))
  }

  private func each<Sample>(
    _ drafts: [WitnessDraft], _ samples: [Sample], _ change: (WitnessDraft, Sample) -> WitnessDraft
  ) -> [WitnessDraft] {
    interleaved(samples.map { sample in drafts.map { change($0, sample) } })
  }

  /// The first of each, then the second of each, and so on: no value keeps another one from its turn.
  private func interleaved(_ rows: [[WitnessDraft]]) -> [WitnessDraft] {
    var all: [WitnessDraft] = []
    for column in 0..<(rows.map(\.count).max() ?? 0) {
      for row in rows where column < row.count {
        all.append(row[column])
        if all.count == Self.maximumDrafts { return all }
      }
    }
    return all
  }
}

extension Condition {
  fileprivate var isLength: Bool {
    switch self {
    case .queryOver: true
    case .any(let parts): !parts.isEmpty && parts.allSatisfy(\.isLength)
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

extension WitnessDraft {
  fileprivate func with<Value>(_ part: WritableKeyPath<WitnessDraft, Value>, _ value: Value) -> WitnessDraft {
    var draft = self
    draft[keyPath: part] = value
    return draft
  }

  /// The query, with a value behind it when it is too short.
  fileprivate func query(longerThan bytes: Int) -> String {
    let start = query.map { $0 + "&x=" } ?? "?x="
    if let query, query.utf8.count > bytes + 1 { return query }
    return start + String(repeating: "a", count: max(1, bytes + 2 - start.utf8.count))
  }

  fileprivate func taking(url href: String) -> WitnessDraft {
    var draft = self
    draft.take(url: href)
    return draft
  }

  /// A host that is demanded already and lies below the domain stays.
  fileprivate func below(_ name: String, _ prefix: String) -> WitnessDraft {
    guard let host, host == name || host.hasSuffix("." + name) else { return with(\.host, prefix + name) }
    return self
  }

  fileprivate func coming(from page: WitnessDraft) -> WitnessDraft {
    var draft = with(\.from, page.href)
    if let document = page.documentText { draft.document = .page(document) }
    return draft
  }

  /// The sample's demands, with its open parts taken from this draft.
  fileprivate func merged(with sample: WitnessDraft) -> WitnessDraft {
    var draft = self
    if let host = sample.host, self.host?.hasSuffix("." + host) != true { draft.host = host }
    draft.scheme = sample.scheme ?? scheme
    draft.port = sample.port ?? port
    draft.path = sample.path ?? path
    draft.query = sample.query ?? query
    return draft
  }
}

extension IPNetwork {
  /// The first address, as a URL writes it.
  fileprivate var exampleHost: String { base.isIPv6 ? "[\(base)]" : "\(base)" }
}

extension Sameness {
  fileprivate var examples: [WitnessDraft.Document] {
    switch self {
    case .document: [.same]
    case .documentPath: [.same, .otherQuery]
    case .origin: [.same, .otherPath]
    }
  }
}
