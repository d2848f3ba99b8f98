internal import Digests
internal import PolicyEngine
internal import URLRules

/// Loads a whole configuration: settings, policy and rules, or every diagnostic at once.
///
///     let result = ConfigurationLoader(roots: ["Rules"]).load()
///     result.policy?.snapshot(generation: 1, at: now)    // nil when result.diagnostics.hasErrors
///
/// A later root masks files of the same name in an earlier one; only the last has to exist.
package struct ConfigurationLoader: Sendable {
  private let roots: [String]
  private let files: any FileSource
  private let names: any NameResolver
  private let checks: ListChecks

  package init(
    roots: [String], files: any FileSource = SystemFiles(), resolver: any NameResolver = SystemNames(),
    checks: ListChecks = ListChecks()
  ) {
    self.roots = roots
    self.files = files
    self.names = resolver
    self.checks = checks
  }

  package func load() -> LoadResult {
    var diagnostics = Diagnostics()
    let tree = ConfigurationTree.read(roots: roots, from: files, into: &diagnostics)
    var isComplete = !diagnostics.hasErrors
    let (settings, settingsPlaces) = readSettings(tree, into: &diagnostics)
    let suffixes = PublicSuffixes()
    let library = readRules(tree, suffixes, isComplete: &isComplete, into: &diagnostics)
    let draft = readPolicy(tree, suffixes, isComplete: &isComplete, into: &diagnostics)
    let uses = library.listUses + draft.listUses
    let lists = LoadedLists.read(uses, at: tree.lists, ListReader(files: files, checks: checks), into: &diagnostics)
    let tests = library.assemble(lists, into: &diagnostics)
    let assembler = PolicyAssembler(
      draft, ruleSets: tests.map(\.ruleSet), lists: lists, isComplete: isComplete)
    var policy = assembler.assemble(into: &diagnostics)
    if draft.apps.isEmpty, isComplete, let root = roots.last {
      diagnostics.warning(
        .noApps, at: SourceLocation(file: root), "the policy names no app, so nobody may ask",
        hint: "describe an app under `apps` in a file of `policy.d` that ends in `.yaml`")
    }
    let digest = ConfigurationDigest.hex(of: tree.files, lists: lists.files)
    policy.digest = digest
    policy.policyRequired = settings?.policyRequired ?? true
    return LoadResult(
      settings: settings, settingsPlaces: settingsPlaces, policy: diagnostics.hasErrors ? nil : policy, tests: tests,
      digest: digest,
      files: tree.files.map(\.path), diagnostics: diagnostics,
      content: ConfigurationContent(tree.files, lists: lists.files))
  }

  private func readSettings(
    _ tree: ConfigurationTree, into diagnostics: inout Diagnostics
  ) -> (DaemonSettings?, PolicyPlaces) {
    guard let file = tree.files(.settings).first else {
      return (tree.unread.contains(ConfigurationFile.settingsName) ? nil : DaemonSettings(), PolicyPlaces())
    }
    // Kept apart, so that an error elsewhere does not take the settings away.
    var own = Diagnostics()
    let root = file.root(into: &own)?.node
    let settings = root?.decode(DaemonSettings.decoder, into: &own)
    diagnostics.merge(own)
    return (own.hasErrors ? nil : settings, root.map(PolicyPlaces.init) ?? PolicyPlaces())
  }

  private func readRules(
    _ tree: ConfigurationTree, _ suffixes: PublicSuffixes, isComplete: inout Bool, into diagnostics: inout Diagnostics
  ) -> RuleLibrary {
    var library = RuleLibrary()
    for name in tree.unread where name.hasPrefix("rules/") {
      library.add(nil, name: String(name.dropFirst("rules/".utf8.count)))
    }
    for file in tree.files(.rules) {
      let name = String(file.name.dropFirst("rules/".utf8.count))
      let ruleFile = RuleFileReader.read(file, name: name, suffixes, into: &diagnostics)
      if ruleFile?.isWhole != true { isComplete = false }
      library.add(ruleFile, name: name)
    }
    return library
  }

  private func readPolicy(
    _ tree: ConfigurationTree, _ suffixes: PublicSuffixes, isComplete: inout Bool, into diagnostics: inout Diagnostics
  ) -> PolicyDraft {
    let reader = PolicyFileReader(names: names, suffixes: suffixes)
    var draft = PolicyDraft()
    for file in tree.files(.policy) {
      if let part = reader.read(file, into: &diagnostics) {
        draft.add(part, into: &diagnostics)
      } else {
        draft.isWhole = false
      }
    }
    isComplete = isComplete && draft.isWhole
    return draft
  }
}

extension RuleLibrary {
  /// The rule sets of all files, each name once.
  fileprivate func assemble(_ lists: LoadedLists, into diagnostics: inout Diagnostics) -> [RuleSetTests] {
    let broken = checkIncludes(into: &diagnostics)
    var places: [String: SourceLocation] = [:]
    var result: [RuleSetTests] = []
    for file in names.compactMap({ files[$0] }) {
      guard let name = file.ruleSet else { continue }
      if let first = places[name.value] {
        diagnostics.definedTwice("rule set", name, first: first)
        continue
      }
      places[name.value] = name.location
      let set = RuleSetAssembler.assemble(file, self, broken: broken, lists: lists, into: &diagnostics)
      result += [set].compactMap(\.self)
    }
    return result
  }
}

extension PolicyDraft {
  /// The lists that link lists name.
  fileprivate var listUses: [ListUse] { [exemptLinks, managedLinks].flatMap { $0?.lists ?? [] } }
}

/// The digest of a configuration; equal digests show that two daemons run the same policy.
///
/// SHA-256 over all files in the order of their names below the root. Each file enters with the length of its name, the
/// name, the length of the file and its bytes; lengths are eight bytes with the most significant first. A list that a
/// rule names enters with the SHA-256 of the stored file instead of the bytes. The root's own path is left out, so a
/// copy has the same digest.
///
/// The attack it withstands: without the lengths, bytes could be moved from one file into the next unseen.
enum ConfigurationDigest {
  /// 64 lower-case hexadecimal digits.
  static func hex(of files: [ConfigurationFile], lists: [ListFile] = []) -> String {
    let parts =
      files.map { Part(name: $0.name, length: $0.bytes.count, bytes: $0.bytes) }
      + lists.map { Part(name: "rules/" + $0.name, length: $0.storedBytes, bytes: $0.hash) }
    var hash = SHA256()
    for part in parts.sorted(by: { $0.name < $1.name }) {
      update(&hash, length: part.name.utf8.count, Array(part.name.utf8))
      update(&hash, length: part.length, part.bytes)
    }
    return hash.digest.hex
  }

  private struct Part {
    var name: String
    var length: Int
    var bytes: [UInt8]
  }

  private static func update(_ hash: inout SHA256, length: Int, _ bytes: [UInt8]) {
    let number = UInt64(clamping: length)
    let head = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    hash.update(head.span)
    hash.update(bytes.span)
  }
}

/// The result of loading a configuration.
package struct LoadResult: Sendable {
  /// The daemon's settings; the defaults when there is no file; nil when the file has errors.
  package var settings: DaemonSettings?
  /// The place of each setting.
  package var settingsPlaces = PolicyPlaces()
  /// The policy; nil when there was any error, wherever.
  package var policy: LoadedPolicy?
  /// The rule sets that could be read, each with its tests; in the order of the files' names.
  package var tests: [RuleSetTests]
  /// SHA-256 over all files, in lower-case hexadecimal.
  package var digest: String
  /// The files that were read, in the order of their names below the root.
  package var files: [String]
  package var diagnostics: Diagnostics
  /// The files it was loaded from.
  package var content = ConfigurationContent()
}

/// The files of a configuration, for a copy: the bytes of its files, and the names of its lists.
package struct ConfigurationContent: Sendable {
  /// One file that a person wrote.
  package struct File: Sendable, Hashable {
    /// The name below the root: `rules/common/sign-in.yaml`.
    package let name: String
    package let bytes: [UInt8]
  }

  /// In the order of their names, without those that a later root masks.
  package var files: [File] = []
  /// Their bytes are not kept: a list may have some hundred megabytes.
  package var lists: [ListFile] = []

  init() {}

  init(_ files: [ConfigurationFile], lists: [ListFile]) {
    self.files = files.map { File(name: $0.name, bytes: $0.bytes) }
    self.lists = lists
  }

  /// Bytes in all.
  package var size: Int { files.reduce(0) { $0 + $1.bytes.count } + lists.reduce(0) { $0 + $1.storedBytes } }
}

extension ListFile {
  /// The place below a root: `rules/lists/file-sharing.txt`.
  package var nameBelowRoot: String { "rules/" + name }

  /// Hands the bytes of the file to `take`, piece by piece. Throws `changed` at the end when they are not the loaded
  /// ones: none of them may be used then.
  package func stream(_ take: (Span<UInt8>) -> Bool) throws(FileProblem) {
    let root = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
    var sum = SHA256()
    _ = try SystemFiles().stream(path, below: root, limit: ListLimits.maximumBytes) { piece in
      sum.update(piece)
      return take(piece)
    }
    guard sum.digest.bytes == hash else { throw .changed }
  }
}
