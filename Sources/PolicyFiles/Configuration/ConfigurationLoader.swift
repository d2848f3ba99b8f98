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
