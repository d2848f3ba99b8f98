internal import URLRules

/// The lists of one configuration, read: what the mentions of lists in its files are.
package struct LoadedLists: Sendable {
  /// Nothing is named.
  static let none = LoadedLists(catalog: ListCatalog(), hosts: .empty, filters: [:], files: [])

  private let catalog: ListCatalog
  /// The hosts of all host lists.
  let hosts: HostLists
  private let filters: [Int32: FilterList]
  /// What is known of each file, by name; one with an error is missing.
  let files: [ListFile]

  /// The filters of one list, compiled for each side that they are used on.
  private struct FilterList: Sendable {
    var texts: [String] = []
    var sets: [FilterSide: URLFilterSet] = [:]

    mutating func compile(for side: FilterSide) {
      guard sets[side] == nil else { return }
      sets[side] = URLFilterSet(anyOf: texts.compactMap { try? URLFilter($0, side: side) })
    }
  }

  /// Reads the lists that the uses name, each once.
  static func read(
    _ uses: [ListUse], at places: ListPlaces, _ reader: ListReader, into diagnostics: inout Diagnostics
  ) -> LoadedLists {
    guard !uses.isEmpty else { return .none }
    var catalog = ListCatalog()
    var sides: [Int32: Set<FilterSide>] = [:]
    for use in uses {
      if case .filters(let number) = catalog.number(of: use.reference, into: &diagnostics) {
        sides[number, default: []].insert(use.side)
      }
    }
    var hosts = HostListsBuilder()
    var filters: [Int32: FilterList] = [:]
    let files = catalog.read(
      places, reader, into: &hosts,
      filter: { number, text, _ in
        // A filter that one side can read the other can, too.
        if let problem = problem(with: text) { return problem }
        filters[number, default: FilterList()].texts.append(text)
        return nil
      }, &diagnostics)
    for (number, sides) in sides { for side in sides { filters[number]?.compile(for: side) } }
    return LoadedLists(catalog: catalog, hosts: hosts.finish(), filters: filters, files: files)
  }

  /// What is wrong with the text of a filter.
  package static func problem(with text: String) -> ListLineProblem? {
    do throws(URLFilterError) {
      _ = try URLFilter(text, side: .block)
      return nil
    } catch {
      return ListLineProblem(error.message, hint: error.hint, at: error.offset)
    }
  }

  /// The condition with its mentions of lists made what they are; `uses` are those of its file.
  func resolve(_ condition: Condition, _ uses: [ListUse]) -> Condition {
    switch condition {
    case .list(let mention, _): uses.indices.contains(Int(mention)) ? list(uses[Int(mention)]) : .any([])
    case .all(let parts): .all(parts.map { resolve($0, uses) })
    case .any(let parts): .any(parts.map { resolve($0, uses) })
    case .not(let part): .not(resolve(part, uses))
    case .from(let part): .from(resolve(part, uses))
    default: condition
    }
  }

  /// A list that could not be read is an error of the configuration; what stands for it matters to nobody.
  private func list(_ use: ListUse) -> Condition {
    switch catalog.knownNumber(of: use.reference) {
    case .hosts(let number): .list(number, file: use.reference.file.value)
    case .filters(let number):
      filters[number]?.sets[use.side].map { .filters($0, file: use.reference.file.value) } ?? .any([])
    case nil: .any([])
    }
  }
}
