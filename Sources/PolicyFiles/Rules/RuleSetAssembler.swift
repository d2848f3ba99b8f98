internal import GuardModel
internal import URLRules

/// Makes one rule set of a rule file and all it includes.
struct RuleSetAssembler {
  private let library: RuleLibrary
  /// Places of includes that have been reported and lead nowhere.
  private let broken: Set<SourceLocation>
  private let lists: LoadedLists
  private var rules: [Rule] = []
  /// Every id with the place of its rule, also of rules that could not be read.
  private var places: [String: SourceLocation] = [:]
  private var includeCount = 0
  private var isWhole = true

  private init(_ library: RuleLibrary, _ broken: Set<SourceLocation>, _ lists: LoadedLists) {
    self.library = library
    self.broken = broken
    self.lists = lists
  }

  /// The rule set of `file`, with its tests; nil for a fragment.
  static func assemble(
    _ file: RuleFile, _ library: RuleLibrary, broken: Set<SourceLocation>, lists: LoadedLists,
    into diagnostics: inout Diagnostics
  ) -> RuleSetTests? {
    guard let name = file.ruleSet else { return nil }
    var assembler = RuleSetAssembler(library, broken, lists)
    assembler.splice(file, at: Site(), into: &diagnostics)
    assembler.checkTests(of: file, into: &diagnostics)
    let ruleSet = RuleSet(
      name: name.value, default: file.default?.value ?? .external, rules: assembler.rules,
      defaultLocation: file.default?.location.description ?? "", lists: lists.hosts)
    return RuleSetTests(ruleSet: ruleSet, tests: file.tests.map(\.test), file: file.path)
  }

  /// The place where a file is spliced in.
  private struct Site {
    /// The prefix of its rules' ids.
    var prefix = ""
    /// The include of the rule set's own file that led here; nil in that file.
    var include: SourceLocation?
    var depth = 0
  }

  /// Adds the rules of `file`.
  private mutating func splice(_ file: RuleFile, at site: Site, into diagnostics: inout Diagnostics) {
    isWhole = isWhole && file.isWhole
    var isDuplicateReported = false
    for item in file.items {
      switch item {
      case .include(let include): follow(include, at: site, into: &diagnostics)
      case .rule(let draft):
        guard rules.count < RuleLibrary.maximumRules else {
          let place = site.include ?? SourceLocation(file: file.path)
          report(.tooManyRules, at: place, "more than \(RuleLibrary.maximumRules) rules", &diagnostics)
          return
        }
        guard let first = add(draft, of: file, prefix: site.prefix), let id = draft.id, !isDuplicateReported else {
          continue
        }
        report(duplicate: site.prefix + id.value, at: site.include ?? id.location, first: first, &diagnostics)
        // One error for each include is enough.
        isDuplicateReported = site.include != nil
      }
    }
  }

  /// Adds one rule; returns the place of the rule that has its id already.
  private mutating func add(_ draft: RuleDraft, of file: RuleFile, prefix: String) -> SourceLocation? {
    guard let id = draft.id else {
      isWhole = false
      return nil
    }
    let full = prefix + id.value
    if let first = places[full] { return first }
    places[full] = id.location
    if var rule = draft.rule {
      rule.id = full
      if !file.lists.isEmpty { rule.condition = lists.resolve(rule.condition, file.lists) }
      rules.append(rule)
    }
    return nil
  }

  private mutating func follow(_ include: Located<String>, at site: Site, into diagnostics: inout Diagnostics) {
    guard !broken.contains(include.location), let file = library.files[include.value] else {
      isWhole = false
      return
    }
    guard site.depth + 1 < RuleLibrary.maximumDepth else {
      let message = "includes are nested deeper than \(RuleLibrary.maximumDepth)"
      report(.includeTooDeep, at: include.location, message, &diagnostics)
      return
    }
    includeCount += 1
    guard includeCount <= RuleLibrary.maximumIncludes else {
      let message = "a rule set with more than \(RuleLibrary.maximumIncludes) includes, with those of its includes"
      report(.tooManyRules, at: site.include ?? include.location, message, &diagnostics)
      return
    }
    let below = Site(
      prefix: site.prefix + file.prefix + "/", include: site.include ?? include.location, depth: site.depth + 1)
    splice(file, at: below, into: &diagnostics)
  }

  private mutating func report(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: String, _ diagnostics: inout Diagnostics
  ) {
    isWhole = false
    diagnostics.error(code, at: location, message)
  }

  private func report(
    duplicate id: String, at location: SourceLocation, first: SourceLocation, _ diagnostics: inout Diagnostics
  ) {
    diagnostics.error(
      .definedTwice, at: location, "rule \(id.quoted) is defined already at \(first)",
      hint: "every rule of a rule set needs an id of its own; a file can be included once")
  }

  /// Tests may name the rules of this rule set, and `default`.
  private func checkTests(of file: RuleFile, into diagnostics: inout Diagnostics) {
    guard isWhole else { return }
    let known = places.keys.sorted()
    for rule in file.tests.flatMap(\.rules) where rule.value != RuleTestStep.defaultRule && places[rule.value] == nil {
      diagnostics.unknownReference("rule", rule, among: known + [RuleTestStep.defaultRule], none: "")
    }
  }
}
