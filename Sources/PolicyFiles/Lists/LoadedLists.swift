internal import URLRules

/// The lists of one configuration, read; resolves the mentions of lists in its files.
package struct LoadedLists: Sendable {
  /// Nothing is named.
  static let none = LoadedLists(catalog: ListCatalog(), hosts: .empty, filters: [:], files: [])

  private let catalog: ListCatalog
  /// The hosts of all host lists.
  let hosts: HostLists
  private let filters: [Int32: FilterList]
  /// Facts about each file, by name; one with an error is missing.
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
        // Both sides can read the same filters.
        if let problem = problem(with: text) { return problem }
        filters[number, default: FilterList()].texts.append(text)
        return nil
      }, &diagnostics)
    for (number, sides) in sides { for side in sides { filters[number]?.compile(for: side) } }
    return LoadedLists(catalog: catalog, hosts: hosts.finish(), filters: filters, files: files)
  }

  /// The problem with the text of a filter.
  package static func problem(with text: String) -> ListLineProblem? {
    do throws(URLFilterError) {
      _ = try URLFilter(text, side: .block)
      return nil
    } catch {
      return ListLineProblem(error.message, hint: error.hint, at: error.offset)
    }
  }

  /// The condition with its mentions of lists resolved; `uses` are the mentions in its file.
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

  /// A list that could not be read is an error of the configuration; the condition in its place is never used.
  private func list(_ use: ListUse) -> Condition {
    switch catalog.knownNumber(of: use.reference) {
    case .hosts(let number): .list(number, file: use.reference.file.value)
    case .filters(let number):
      filters[number]?.sets[use.side].map { .filters($0, file: use.reference.file.value) } ?? .any([])
    case nil: .any([])
    }
  }
}

/// The lists that the rules of one configuration name: each file once, with its number.
///
///     var catalog = ListCatalog()
///     catalog.number(of: reference, into: &diagnostics)     // .hosts(0)
///     catalog.number(of: another, into: &diagnostics)       // .hosts(0) again for the same file
///     var hosts = HostListsBuilder()
///     let lists = catalog.read(tree.lists, reader, into: &hosts, filter: { … }, &diagnostics)
///
/// Numbers are given when a rule is read, and the files are read afterwards, in that order.
package struct ListCatalog {
  /// Lists of hosts and lists of URL filters are counted apart, both from 0.
  package enum Number: Sendable, Hashable {
    case hosts(Int32)
    case filters(Int32)
  }

  private var known: [String: (reference: ListReference, number: Number)] = [:]
  private var hostLists: [ListReference] = []
  private var filterLists: [ListReference] = []

  package init() {}

  /// Whether no rule names a list.
  package var isEmpty: Bool { known.isEmpty }

  /// The number of a list; nil, and reported, when the file has another format elsewhere.
  package mutating func number(of reference: ListReference, into diagnostics: inout Diagnostics) -> Number? {
    let name = reference.file.value
    if let (first, number) = known[name] {
      guard first.format.value == reference.format.value else {
        diagnostics.error(
          .listFormatConflict, at: reference.format.location,
          "\(name.quoted) is a list of \(first.format.value.rawValue.quoted) already at \(first.format.location)",
          hint: "one file has one format; state the same in both places")
        return nil
      }
      return number
    }
    let number = add(reference)
    known[name] = (reference, number)
    return number
  }

  /// The number that a list got; nil when it got none.
  func knownNumber(of reference: ListReference) -> Number? {
    guard let (first, number) = known[reference.file.value], first.format.value == reference.format.value else {
      return nil
    }
    return number
  }

  private mutating func add(_ reference: ListReference) -> Number {
    if reference.format.value == .urlFilters {
      filterLists.append(reference)
      return .filters(Int32(truncatingIfNeeded: filterLists.count - 1))
    }
    hostLists.append(reference)
    return .hosts(Int32(truncatingIfNeeded: hostLists.count - 1))
  }

  /// Reads every list, and returns those that are whole, by their names. A list that is not is an error.
  ///
  /// `hosts` is new, so that its numbers are those given here. `filter` takes the number of a list, the text of one
  /// filter and its line, and returns its problem.
  package func read<Hosts: ListedHosts & ~Copyable>(
    _ places: ListPlaces, _ reader: ListReader, into hosts: inout Hosts,
    filter: (Int32, String, Int) -> ListLineProblem?, _ diagnostics: inout Diagnostics
  ) -> [ListFile] {
    var files: [ListFile] = []
    for reference in hostLists {
      if let place = place(of: reference, places, reader, into: &diagnostics) {
        files += reader.readHosts(place, reference.format.value, into: &hosts, &diagnostics).map { [$0] } ?? []
      } else {
        // Keeps the numbers of the other lists.
        _ = hosts.beginList()
      }
    }
    for (index, reference) in filterLists.enumerated() {
      guard let place = place(of: reference, places, reader, into: &diagnostics) else { continue }
      let number = Int32(truncatingIfNeeded: index)
      files += reader.readFilters(place, { filter(number, $0, $1) }, &diagnostics).map { [$0] } ?? []
    }
    return files.sorted { $0.name < $1.name }
  }

  private func place(
    of reference: ListReference, _ places: ListPlaces, _ reader: ListReader, into diagnostics: inout Diagnostics
  ) -> ListPlace? {
    let name = reference.file.value
    if let place = places.place(of: name, in: reader.files) { return place }
    let near = Suggestion.nearest(to: name, among: places.names(near: name, in: reader.files))
    diagnostics.error(
      .listNotFound, at: reference.file.location, "there is no list file \(name.quoted)",
      hint: near.map { "did you mean \($0.quoted)?" } ?? "names begin below the directory `rules`")
    return nil
  }
}
