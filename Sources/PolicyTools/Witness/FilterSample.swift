internal import URLRules

extension URLFilter {
  /// A draft of a URL that the filter may take.
  ///
  ///     https://.mail.contoso.com/owa?v=1    ->   https://mail.contoso.com/owa?v=1
  var sample: WitnessDraft {
    var draft = WitnessDraft(scheme: components.scheme, host: components.host, path: components.path)
    draft.port = components.port == 0 ? nil : components.port
    draft.take(conditions.map(\.text))
    return draft
  }
}

extension URLFilterSet {
  /// Maximum filters of a set that are tried.
  private static let maximumSamples = 24

  /// Drafts of URLs that filters of the block list may take, or any of the list.
  var samples: [WitnessDraft] {
    let plain = index.paths.lazy.filter { $0.entries.count > 0 }.prefix(Self.maximumSamples)
    let queries = index.tokens.prefix(Self.maximumSamples)
    let all = plain.map { sample($0, $0.entries) } + queries.map { sample(index.paths[Int($0.path)], $0.entries) }
    return all.compactMap(\.self)
  }

  private func sample(_ path: FilterIndex.Path, _ entries: FilterIndex.Text) -> WitnessDraft? {
    guard let entry = index.entries[entries.range].first(where: { isAnyOf || !$0.flags.contains(.allows) }) else {
      return nil
    }
    let host = index.hosts[Int(path.host)]
    var draft = WitnessDraft(
      scheme: [], host: Array(index.bytes[host.name.range]), path: Array(index.bytes[path.path.range]))
    draft.port = entry.port == 0 ? nil : entry.port
    let conditions = index.conditionNumbers[entry.conditions.range].map { index.conditions[Int($0)] }
    draft.take(conditions.map { Array(index.bytes[$0.text.range]) })
    return draft
  }
}

extension WitnessDraft {
  /// An empty part is not demanded.
  fileprivate init(scheme: [UInt8], host: [UInt8], path: [UInt8]) {
    func text(_ bytes: some Sequence<UInt8>) -> String? {
      let text = String(decoding: Array(bytes), as: UTF8.self)
      return text.isEmpty ? nil : text
    }
    self.scheme = text(scheme)
    self.host = text(host.drop { $0 == UInt8(ascii: ".") })
    self.path = text(path)
  }

  /// Takes elements of a query; an empty one is any query.
  fileprivate mutating func take(_ elements: [[UInt8]]) {
    guard !elements.isEmpty else { return }
    let texts = elements.map { $0.isEmpty ? "x" : String(decoding: $0, as: UTF8.self) }
    query = "?" + texts.joined(separator: "&")
  }
}
