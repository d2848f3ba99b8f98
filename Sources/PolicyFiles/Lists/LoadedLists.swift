package import URLRules

/// The lists of one configuration, read; resolves the mentions of lists in its files.
package struct LoadedLists: Sendable {
  /// Nothing is named.
  static let none = LoadedLists(catalog: ListCatalog(), hosts: .empty, filters: [:], files: [])

  private let catalog: ListCatalog
  /// The hosts of all host lists.
  let hosts: HostLists
  private let filters: [FilterListNumber: FilterList]
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
    var sides: [FilterListNumber: Set<FilterSide>] = [:]
    for use in uses {
      if case .filters(let number) = catalog.number(of: use.reference, into: &diagnostics) {
        sides[number, default: []].insert(use.side)
      }
    }
    var hosts = HostListsBuilder()
    var filters: [FilterListNumber: FilterList] = [:]
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
    case .list(let mention, _): uses.indices.contains(Int(mention.place)) ? list(uses[Int(mention.place)]) : .any([])
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

/// The number of a list of URL filters in a configuration, from 0.
package struct FilterListNumber: Sendable, Hashable {
  package let place: Int
  package init(_ place: Int) { self.place = place }
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
    case hosts(HostListNumber)
    case filters(FilterListNumber)
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
      return .filters(FilterListNumber(filterLists.count - 1))
    }
    hostLists.append(reference)
    return .hosts(HostListNumber(hostLists.count - 1))
  }

  /// Reads every list, and returns those that are whole, by their names. A list that is not is an error.
  ///
  /// `hosts` is new, so that its numbers are those given here. `filter` takes the number of a list, the text of one
  /// filter and its line, and returns its problem.
  package func read<Hosts: ListedHosts & ~Copyable>(
    _ places: ListPlaces, _ reader: ListReader, into hosts: inout Hosts,
    filter: (FilterListNumber, String, Int) -> ListLineProblem?, _ diagnostics: inout Diagnostics
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
      let number = FilterListNumber(index)
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

/// One list file that was read: its content in numbers, and its age.
///
///     ListFile(name: "lists/file-sharing.txt", format: .domains, …)
///     file.entries       // 1496659
///     file.modified      // 1795219200, seconds since 1970
///
/// Names count, and not lines, in `entries`, `selfEntries`, `duplicates` and `covered`: a line of a hosts file has many.
package struct ListFile: Sendable, Hashable {
  /// The name below the directory `rules`, as rules give it.
  package let name: String
  /// The name as the user would write it.
  package let path: String
  package let format: ListFormat
  /// Names or filters that were taken, repeated ones as well.
  package var entries = 0
  /// Lines with something that could not be taken.
  package var badLines = 0
  /// Names of a hosts file that only name the machine itself, such as `localhost`.
  package var selfEntries = 0
  /// Entries written `*.x` or `.x`, which take `x` as well.
  package var wildcards = 0
  /// Entries that were found to be public suffixes; 0 when they were not looked for.
  package var publicSuffixes = 0
  /// Repeated entries; nil when they were not looked for, and for URL filters.
  package var duplicates: Int?
  /// Entries, each counted once, that lie below another entry of the list; nil likewise.
  package var covered: Int?
  /// Lines of the text, with comments and empty ones.
  package var lines = 0
  /// Bytes of the file.
  package var storedBytes = 0
  /// Bytes of the text; more than those of the file when it is packed.
  package var unpackedBytes = 0
  /// When the file was last written, in seconds since 1970; nil when its source keeps no times.
  package var modified: Int64?
  /// SHA-256 of the file as it is stored; the digest of the configuration covers it.
  package var hash: [UInt8] = []

  package init(name: String, path: String, format: ListFormat) {
    self.name = name
    self.path = path
    self.format = format
  }
}

/// The format of the lines of a list file. It is stated beside the name of the list, and never guessed from its lines.
package enum ListFormat: String, Sendable, Hashable, CaseIterable {
  /// One host a line: that host and everything below it.
  case domains
  /// The lines of a hosts file, `0.0.0.0 ads.example`: the names, and everything below them.
  case hosts
  /// One URL filter of Chromium's a line.
  case urlFilters
}

/// Limits of list files. A list of a million names is usual; a list over these limits is a mistake, or an attack.
package enum ListLimits {
  /// Most bytes of a list file as it is stored, and most bytes of its text. A gzip file of 260 kB can unpack to this.
  package static let maximumBytes = 256 << 20
  /// Most entries of one list.
  package static let maximumEntries = 10_000_000
  /// Most bad lines before reading stops: they take longer than good ones, and no user repairs so many one by one.
  package static let maximumBadLines = 100_000
  /// Most bytes of a line, comments apart: some hundred names of a hosts file.
  package static let maximumLineLength = 8_192
  /// Most bad lines of a list that are shown one by one.
  package static let maximumShownLines = 20
  /// Most bytes of a host name, and of one label (RFC 1035, section 2.3.4, without the dot at the end).
  package static let maximumHostLength = 253
  package static let maximumLabelLength = 63
  /// Most labels of a name that is looked up among the public suffixes: no suffix has more.
  package static let maximumSuffixLabels = 3

  /// The crossed limit on lines; nil when none is crossed.
  static func refusal(entries: Int, badLines: Int) -> String? {
    if entries > maximumEntries { return "more than \(maximumEntries.grouped) entries" }
    return badLines > maximumBadLines ? "more than \(maximumBadLines.grouped) bad lines" : nil
  }
}
