internal import DecisionLog
internal import Glibc
internal import PolicyFiles

extension PlaceCheck {
  /// What is wrong with the log: the way to its directory, that, its files and the key of its pseudonyms. What is not there
  /// is well.
  package func logFindings(in directory: String) -> [PlaceFinding] {
    let names = Self.names(in: directory).filter(LogNames.isLog)
    let files = names.map { finding(at: directory + "/" + $0, .file) }
    let key = finding(at: directory + "/" + LogNames.key, .secret)
    return way(to: directory) + (files + [key]).compactMap(\.self)
  }

  /// What is wrong with the directory of the state. Of the file in it `StatePlace` takes care: it sets a doubtful one aside.
  package func stateFindings(in directory: String) -> [PlaceFinding] {
    way(to: directory)
  }

  /// What is wrong with a configuration: with each file that was read, where links lead included, and with the directories
  /// that they lie in and those above them, since who may write those may put another file in its place.
  package func configurationFindings(roots: [String], files: [String]) -> [PlaceFinding] {
    var directories = Set(roots)
    for root in roots {
      let base = root.hasSuffix("/") ? String(root.dropLast()) : root
      directories.formUnion(["policy.d", "rules"].map { base + "/" + $0 })
    }
    for file in files { directories.formUnion(Self.directories(of: file, below: roots)) }
    let all = directories.sorted().map { finding(at: $0, .directory) } + files.sorted().map { finding(at: $0, .file) }
    let found = all.compactMap(\.self)
    // A directory that is wrong itself is told once.
    var told = Set(found.map(\.path))
    let ways = (roots.sorted() + files.sorted()).flatMap { parentFindings(of: $0) }
    return found + ways.filter { told.insert($0.path).inserted }
  }

  /// What is wrong with a directory, and with the way to it.
  private func way(to directory: String) -> [PlaceFinding] {
    parentFindings(of: directory) + [finding(at: directory, .directory)].compactMap(\.self)
  }

  /// The directories between the root and the file, and the one that the file itself lies in when a link leads there.
  private static func directories(of file: String, below roots: [String]) -> Set<String> {
    var found: Set<String> = []
    var path = parent(of: file)
    while roots.contains(where: { path.hasPrefix($0) }), found.insert(path).inserted { path = parent(of: path) }
    if let real = realpath(file, nil) {
      found.insert(parent(of: String(cString: real)))
      free(real)
    }
    return found
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func names(in directory: String) -> [String] {
    ((try? SystemFiles().entries(of: directory)) ?? []).map(\.name).sorted()
  }
}
