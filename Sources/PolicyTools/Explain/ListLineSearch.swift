internal import GuardModel
package import PolicyFiles
package import URLRules
internal import URLStandard

/// An entry of a list that takes a URL, as far as the compiled rules know it: they keep neither lines nor texts.
package enum ListHit: Sendable, Hashable {
  /// The host of the URL is named by the list file, or lies below a name there.
  case host(String, file: String)
  /// The filter with this number in the list file, from 0; lines that hold no filter are not counted.
  case filter(Int, file: String)
  /// The filter with this number in one of the two lists of a `chromium` matcher, which have so many.
  case chromium(FilterSide, Int, block: Int, allow: Int)
}

extension MatchInput {
  /// The entry of a list by which a matcher holds; nil for a matcher without a list.
  func hit(of condition: Condition) -> ListHit? {
    switch condition {
    case .list(_, let file): return .host(url.judged.hostname, file: file)
    case .filters(let set, let file):
      guard let place = set.answer(for: url.judged).filter else { return nil }
      if !file.isEmpty { return .filter(place.index, file: file) }
      return .chromium(place.side, place.index, block: set.count(of: .block), allow: set.count(of: .allow))
    default: return nil
    }
  }
}

/// Finds the entry of a list that takes a URL, by reading the file again: a list of a million names keeps no lines.
///
///     let search = ListLineSearch(result.lists)
///     search.words(for: .host("www.ads.example", file: "lists/ads.txt"), of: rule)
///     // the entry `ads.example` in rules/lists/ads.txt:17
///
/// Made for people who ask about single URLs. A file that changed since may have another line there, or none.
package struct ListLineSearch: Sendable {
  private let lists: [String: ListFile]
  private let files: any FileSource

  package init(_ lists: [ListFile], files: any FileSource = SystemFiles()) {
    self.lists = Dictionary(lists.map { ($0.name, $0) }) { first, _ in first }
    self.files = files
  }

  /// The place of the entry, in words; nil when it is not found.
  package func words(for hit: ListHit, of rule: Rule) -> String? {
    switch hit {
    case .host(let host, let file): line(of: host, in: file)
    case .filter(let number, let file): line(ofFilter: number, in: file)
    case .chromium(let side, let number, let block, let allow):
      entry(of: side, number, block: block, allow: allow, in: rule)
    }
  }

  private static func words(_ entry: String, _ location: String) -> String {
    "the entry \(entry.quoted) in \(location)"
  }

  // MARK: List files

  private func line(of host: String, in name: String) -> String? {
    guard let list = lists[name] else { return nil }
    var sought = SoughtHost(host)
    ListReader(files: files).readAgain(list.place, list.format, into: &sought)
    return sought.found.map { Self.words($0.entry, "\(list.path.escapedForDisplay):\($0.line)") }
  }

  private func line(ofFilter number: Int, in name: String) -> String? {
    guard let list = lists[name] else { return nil }
    var diagnostics = Diagnostics()
    var count = 0
    var found: (entry: String, line: Int)?
    _ = ListReader(files: files).readFilters(
      list.place,
      { text, line in
        if let problem = LoadedLists.problem(with: text) { return problem }
        if count == number { found = (text, line) }
        count += 1
        return nil
      }, &diagnostics)
    return found.map { Self.words($0.entry, "\(list.path.escapedForDisplay):\($0.line)") }
  }

  // MARK: Rule files

  /// The entry of a `chromium` matcher. A rule may have several; the first that has so many entries is taken.
  private func entry(of side: FilterSide, _ number: Int, block: Int, allow: Int, in rule: Rule) -> String? {
    let parts = rule.location.split(separator: ":")
    guard parts.count > 2 else { return nil }
    let path = parts.dropLast(2).joined(separator: ":")
    var diagnostics = Diagnostics()
    guard let bytes = try? files.read(path, limit: ConfigurationFile.Kind.rules.limit),
      let root = YAMLReader.read(bytes.span, file: path, into: &diagnostics),
      let node = root.first(where: { $0.location.description == rule.location })
    else { return nil }
    let matcher = node.first { node in
      guard let lists = node.mapping?["chromium"]?.mapping else { return false }
      return lists["block"]?.sequence?.count == block && (lists["allow"]?.sequence?.count ?? 0) == allow
    }
    let entries = matcher?.mapping?["chromium"]?.mapping?[side == .block ? "block" : "allow"]?.sequence
    guard let entries, entries.indices.contains(number), let text = entries[number].scalar?.text else { return nil }
    return Self.words(text, entries[number].location.description)
  }
}

extension ListFile {
  fileprivate var place: ListPlace { ListPlace(below: String(path.dropLast(name.utf8.count)), name: name) }
}

extension YAMLNode {
  /// The first value here or inside, in the order of the file, of which `body` says so.
  fileprivate func first(where body: (YAMLNode) -> Bool) -> YAMLNode? {
    if body(self) { return self }
    let inner = sequence ?? mapping?.entries.map(\.value) ?? []
    for node in inner {
      if let found = node.first(where: body) { return found }
    }
    return nil
  }
}
