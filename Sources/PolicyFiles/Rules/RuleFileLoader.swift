package import URLRules

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
