/// Finds includes that lead back to a file on the way to them, each cycle once.
///
/// A depth-first search with its own stack: a chain of a thousand files must not end on the thread's.
struct IncludeCycleSearch {
  struct Cycle {
    /// The include that closes it.
    var include: Located<String>
    /// The files from the one that is included back to itself.
    var chain: [String]
  }

  private struct Visit {
    var file: String
    var includes: [Located<String>]
    var next = 0
  }

  private let library: RuleLibrary
  private var done: Set<String> = []
  private var path: [Visit] = []

  init(library: RuleLibrary) { self.library = library }

  mutating func cycles() -> [Cycle] {
    var found: [Cycle] = []
    for name in library.names where !done.contains(name) {
      enter(name)
      while let visit = path.last {
        guard visit.next < visit.includes.count else {
          done.insert(visit.file)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let include = visit.includes[visit.next]
        if let start = path.firstIndex(where: { $0.file == include.value }) {
          found.append(Cycle(include: include, chain: path[start...].map(\.file) + [include.value]))
        } else if !done.contains(include.value) {
          enter(include.value)
        }
      }
    }
    return found
  }

  private mutating func enter(_ name: String) {
    path.append(Visit(file: name, includes: library.files[name]?.includes ?? []))
  }
}
