/// Finds those of many alternatives that may have hosts in common with an exception of one of them. An exception is then not
/// compared with thousands of rules for other hosts.
///
///     let finder = StepFinder(of: alternatives)
///     finder.places(meeting: HostSet([.exactly("www.a.example")]), behind: 7)    // places of a.example and of every host
struct StepFinder {
  /// The places of alternatives that take every host.
  private var everywhere: [Int] = []
  /// The places of those that name exactly this, and of those that name something in it.
  private var named: [HostSet.Entry: [Int]] = [:]
  private var inside: [HostSet.Entry: [Int]] = [:]

  init(of alternatives: [StaticAlternative]) {
    let asked = Self.asked(alternatives)
    guard !asked.isEmpty else { return }
    for (place, alternative) in alternatives.enumerated() {
      guard let entries = alternative.term.hosts.entries else {
        everywhere.append(place)
        continue
      }
      for entry in entries {
        if asked.contains(entry) { named[entry, default: []].append(place) }
        for wider in entry.wider where asked.contains(wider) && inside[wider]?.last != place {
          inside[wider, default: []].append(place)
        }
      }
    }
  }

  /// What exceptions name, and what that lies in; nothing where no alternative has any.
  private static func asked(_ alternatives: [StaticAlternative]) -> Set<HostSet.Entry> {
    var asked: Set<HostSet.Entry> = []
    for alternative in alternatives where !alternative.exceptions.isEmpty {
      for exception in alternative.exceptions {
        for entry in exception.hosts.intersection(alternative.term.hosts).entries ?? [] {
          asked.insert(entry)
          asked.formUnion(entry.wider)
        }
      }
    }
    return asked
  }

  /// The places behind the given one whose alternatives may have some of the hosts, in order; all those for every host.
  ///
  /// - Parameter hosts: of an exception, and of the alternative that it belongs to.
  func places(meeting hosts: HostSet, behind place: Int) -> [Int]? {
    guard let entries = hosts.entries else { return nil }
    var found: Set<Int> = []
    for entry in entries {
      found.formUnion(named[entry] ?? [])
      found.formUnion(inside[entry] ?? [])
      for wider in entry.wider { found.formUnion(named[wider] ?? []) }
    }
    // Those of every host are in order already, and most of them may be before the place.
    let everywhere = everywhere[everywhere.partitioningIndex { $0 > place }...]
    return (everywhere + found.filter { $0 > place }).sorted()
  }
}
