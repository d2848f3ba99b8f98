package import URLRules

/// The rule files of one directory `rules`, with their includes.
struct RuleLibrary: Sendable {
  /// Deepest nesting of includes.
  static let maximumDepth = 16
  /// Most rules of one rule set, with those of its includes.
  static let maximumRules = 100_000
  /// Most includes that are followed for one rule set. Twenty files that include two others each would make a million.
  static let maximumIncludes = 1_000

  /// The files that could be read, by their names below `rules`.
  private(set) var files: [String: RuleFile] = [:]
  /// Files that are there and could not be read. A reference to them is no error of its own.
  private(set) var unreadable: Set<String> = []

  var names: [String] { files.keys.sorted() }

  /// The lists that all files name, in the order of the files' names.
  var listUses: [ListUse] { names.flatMap { files[$0]?.lists ?? [] } }

  /// Adds a file; nil stands for one that could not be read.
  mutating func add(_ file: RuleFile?, name: String) {
    if let file { files[name] = file } else { unreadable.insert(name) }
  }

  func has(_ name: String) -> Bool { files[name] != nil || unreadable.contains(name) }

  /// Checks every include of every file: that it names a file, and that no file includes itself in the end.
  ///
  /// Returns the places of includes that must not be followed.
  func checkIncludes(into diagnostics: inout Diagnostics) -> Set<SourceLocation> {
    var broken: Set<SourceLocation> = []
    for name in names {
      for include in files[name]?.includes ?? [] where !has(include.value) {
        broken.insert(include.location)
        report(missing: include, into: &diagnostics)
      }
    }
    var search = IncludeCycleSearch(library: self)
    for cycle in search.cycles() {
      broken.insert(cycle.include.location)
      let chain = cycle.chain.map(\.quoted).joined(separator: " -> ")
      diagnostics.error(
        .includeCycle, at: cycle.include.location, "the file includes itself: \(chain)",
        hint: "remove one of these includes")
    }
    return broken
  }

  private func report(missing include: Located<String>, into diagnostics: inout Diagnostics) {
    guard IncludeName.isValid(include.value) else {
      diagnostics.error(
        .invalidInclude, at: include.location, "\(include.value.quoted) is not a name below the directory `rules`",
        hint: "write it as in `common/sign-in.yaml`, without `..` and without `/` in front")
      return
    }
    var hint = Suggestion.nearest(to: include.value, among: names).map { "did you mean \($0.quoted)?" }
    if has(include.value + ".yaml") { hint = "did you mean \((include.value + ".yaml").quoted)?" }
    if include.value.hasPrefix("rules/"), has(String(include.value.dropFirst(6))) {
      hint = "names begin below `rules`: write \(String(include.value.dropFirst(6)).quoted)"
    }
    diagnostics.error(
      .includeNotFound, at: include.location, "there is no rule file \(include.value.quoted)",
      hint: hint ?? "names begin below the directory `rules`")
  }
}

/// Names that an include may have.
enum IncludeName {
  /// Whether `name` stays below `rules` and is written in the one way its file is known by.
  static func isValid(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.hasSuffix(".yaml") && !name.utf8.contains(0) && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") }
  }
}

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

/// Loads one rule file with its includes, without a policy around it: for `classify` and `test`.
///
///     let result = RuleFileLoader(files: SystemFiles()).load("Rules/rules/contoso-documents.yaml")
///     result.ruleSet?.name        // "contoso-documents"
///     result.diagnostics.sorted   // the problems in all of these files
///
/// Includes are looked up below the nearest directory above the file that is called `rules`; without one, beside the
/// file.
package struct RuleFileLoader: Sendable {
  private let files: any FileSource
  private let checks: ListChecks

  package init(files: any FileSource = SystemFiles(), checks: ListChecks = ListChecks()) {
    self.files = files
    self.checks = checks
  }

  package struct Result: Sendable {
    /// The compiled rule set with its tests; nil when there was any error.
    package var tests: RuleSetTests?
    /// The files that were read, in the order of their names.
    package var files: [String]
    /// The list files that were read.
    package var lists: [ListFile]
    package var diagnostics: Diagnostics

    package var ruleSet: RuleSet? { tests?.ruleSet }
  }

  package func load(_ path: String) -> Result {
    var diagnostics = Diagnostics()
    let place = RuleFilePlace(path, workingDirectory: files.workingDirectory)
    let (library, read) = readAll(from: place, into: &diagnostics)
    let broken = library.checkIncludes(into: &diagnostics)
    let reader = ListReader(files: files, checks: checks)
    let lists = LoadedLists.read(library.listUses, at: .below(place.root), reader, into: &diagnostics)
    var tests: RuleSetTests?
    if let file = library.files[place.name] {
      tests = RuleSetAssembler.assemble(file, library, broken: broken, lists: lists, into: &diagnostics)
      if file.ruleSet == nil, !diagnostics.hasErrors {
        diagnostics.error(
          .notARuleSet, at: SourceLocation(file: path), "the file has no `ruleSet` and can only be included",
          hint: "name a file that includes it, or add `ruleSet` and `default`")
      }
    }
    return Result(
      tests: diagnostics.hasErrors ? nil : tests, files: read.sorted(), lists: lists.files, diagnostics: diagnostics)
  }

  /// Reads the file and everything it includes; a file that is not there is left to the check of includes.
  private func readAll(from place: RuleFilePlace, into diagnostics: inout Diagnostics) -> (RuleLibrary, [String]) {
    var library = RuleLibrary()
    let suffixes = PublicSuffixes()
    var read: [String] = []
    var waiting = [place.name]
    while let name = waiting.popLast() {
      let path = name == place.name ? place.path : place.root + name
      guard !library.has(name), name == place.name || canInclude(name, path) else { continue }
      guard read.count < ConfigurationTree.maximumEntries else {
        diagnostics.error(.tooManyFiles, at: SourceLocation(file: place.path), "more than \(read.count) files")
        break
      }
      let file = readFile(name, path, suffixes, into: &diagnostics)
      library.add(file, name: name)
      read.append(path)
      waiting += file?.includes.map(\.value) ?? []
    }
    return (library, read)
  }

  private func canInclude(_ name: String, _ path: String) -> Bool {
    IncludeName.isValid(name) && files.kind(of: path) != nil
  }

  private func readFile(
    _ name: String, _ path: String, _ suffixes: PublicSuffixes, into diagnostics: inout Diagnostics
  ) -> RuleFile? {
    let limit = ConfigurationFile.Kind.rules.limit
    do throws(FileProblem) {
      let bytes = try files.read(path, limit: limit)
      let file = ConfigurationFile(kind: .rules, name: name, path: path, bytes: bytes)
      return RuleFileReader.read(file, name: name, suffixes, into: &diagnostics)
    } catch {
      diagnostics.add(error, reading: path, limit: limit)
      return nil
    }
  }
}

/// The place of a rule file: the directory that includes begin at, and its own name below it.
struct RuleFilePlace {
  /// As the user gave it.
  let path: String
  /// With `/` at its end; empty for the working directory.
  let root: String
  let name: String

  init(_ path: String, workingDirectory: String) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    let lead = path.hasPrefix("/") ? "/" : ""
    if let index = parts.dropLast().lastIndex(of: "rules") {
      root = lead + parts[...index].joined(separator: "/") + "/"
      name = parts[(index + 1)...].joined(separator: "/")
      return
    }
    let above = workingDirectory.split(separator: "/").map(String.init)
    let isBelow = lead.isEmpty && !parts.contains("..")
    if isBelow, let index = above.lastIndex(of: "rules") {
      let below = above[(index + 1)...] + parts.filter { $0 != "." }
      root = "/" + above[...index].joined(separator: "/") + "/"
      name = below.joined(separator: "/")
      return
    }
    let directory = parts.dropLast().joined(separator: "/")
    root = directory.isEmpty ? lead : lead + directory + "/"
    name = parts.last ?? ""
  }
}
