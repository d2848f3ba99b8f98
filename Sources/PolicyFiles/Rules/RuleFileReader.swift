internal import GuardModel
internal import URLRules

/// Reads one rule file: its content and its problems. Other files do not matter here.
struct RuleFileReader {
  private let source: RuleSource
  private let suffixes: PublicSuffixes
  private let lists = ListUses()

  /// The file `name` of the directory `rules`; nil when it could not be read at all.
  static func read(
    _ file: ConfigurationFile, name: String, _ suffixes: PublicSuffixes, into diagnostics: inout Diagnostics
  ) -> RuleFile? {
    guard let root = file.root(into: &diagnostics) else { return nil }
    let reader = RuleFileReader(source: RuleSource(bytes: file.bytes), suffixes: suffixes)
    var empty = RuleFile(name: name, path: file.path)
    empty.isWhole = root.isWhole
    var ruleFile = root.node.decode(.mapping { [empty] in reader.ruleFile(empty, &$0) }, into: &diagnostics)
    ruleFile?.lists = reader.lists.all
    return ruleFile
  }

  private func ruleFile(_ empty: RuleFile, _ reader: inout MappingReader) -> RuleFile? {
    var file = empty
    let isRuleSet = reader.has("ruleSet")
    file.ruleSet = reader.optional("ruleSet", .located(.name))
    if isRuleSet {
      file.isWhole = file.isWhole && file.ruleSet != nil
      file.default = reader.required("default", .located(Self.verdict))
    } else if reader.has("default") {
      reader.error(
        .missingKey, at: "default", "`default` belongs to a rule set, and this file has no `ruleSet`",
        hint: "name the rule set with `ruleSet`, or remove `default` from what is only included")
    }
    file.items = reader.required("rules", .goodItems(of: item)) ?? []
    if !isRuleSet, reader.has("tests") {
      reader.error(
        .testsInFragment, at: "tests", "a file without `ruleSet` has nothing to test",
        hint: "move the tests to a rule set that includes this file")
    }
    file.tests = reader.value("tests", .goodItems(of: RuleTestDraft.decoder), default: [])
    return file
  }

  static var verdict: YAMLDecoder<Verdict> {
    .word([("internal", .internal), ("external", .external)])
  }

  private var item: YAMLDecoder<RuleFile.Item> {
    .mapping { reader in
      guard !reader.has("include") else {
        return reader.optional("include", .located(.nonEmptyString)).map(RuleFile.Item.include)
      }
      return .rule(rule(&reader))
    }
  }

  private func rule(_ reader: inout MappingReader) -> RuleDraft {
    var draft = RuleDraft()
    draft.id = reader.required("id", .located(.name))
    if let id = draft.id, id.value == RuleTestStep.defaultRule {
      reader.diagnostics.error(
        .reservedName, at: id.location, "`default` names the fall-through and no rule", hint: "choose another id")
    }
    let isInternal = reader.exactlyOne(of: ["internal", "external"]) == "internal"
    // Both are read, for the errors in them, even when only one may be there.
    let conditions = [("internal", FilterSide.allow), ("external", .block)].map { key, side in
      let matchers = MatcherReader(source: source, suffixes: suffixes, lists: lists, side: side)
      return reader.optional(key, matchers.group(.url))
    }
    let condition = conditions.compactMap(\.self).first
    let purposes = reader.optional("for", Self.purposes)
    let then = reader.optional("then", Self.action)
    let message = reader.optional("message", .nonEmptyString)
    let expires = reader.optional("expires", PointInTime.decoder(day: .end))
    let monitoredUntil = reader.optional("monitorOnly", .monitoring)
    let takesCredentials = reader.optional("credentials", .bool)
    if isInternal, reader.has("then") {
      reader.error(
        .actionOnInternal, at: "then", "`then` says what becomes of external URLs, and this rule is internal",
        hint: "remove `then`, or make the rule external")
    }
    if !isInternal, reader.has("credentials") {
      reader.error(
        .credentialsOnExternal, at: "credentials", "`credentials` lets an internal rule take URLs with a user name",
        hint: "remove it: an external rule takes them anyway")
    }
    let place = place(&reader, isInternal: isInternal, for: purposes)
    guard let id = draft.id?.value, let condition else { return draft }
    var rule = Rule(
      id: id, verdict: isInternal ? .internal : .external, condition: condition,
      purposes: purposes ?? (place == nil ? .page : .placed),
      then: then ?? .none, message: message, location: reader.location.description)
    (rule.expires, rule.monitoredUntil, rule.place) = (expires, monitoredUntil, place)
    rule.takesCredentials = takesCredentials ?? false
    draft.rule = rule
    return draft
  }

  /// The place that a rule's URLs are, and its owner (ledger SL-05, SL-09).
  private func place(_ reader: inout MappingReader, isInternal: Bool, for purposes: Purposes?) -> NamedPlace? {
    let location = reader.optional("location", .word(NamedPlace.locations.map { ($0.name, $0) }))
    let account = reader.optional("account", .nonEmptyString)
    if !reader.has("location"), reader.has("account") {
      reader.error(
        .accountWithoutLocation, at: "account", "`account` says whose place the URLs are, and no `location` is stated",
        hint: "state the `location`, such as `sharePoint`, or `accountDocument` for a service without a word of its own"
      )
    }
    if !isInternal, reader.has("account") {
      reader.error(
        .accountOnExternal, at: "account", "what is external is nobody's place, and this rule is external",
        hint: "remove `account`, or make the rule internal")
    }
    if let purposes, reader.has("location"), purposes.isDisjoint(with: [.download, .upload]) {
      reader.error(
        .locationWithoutFiles, at: "location",
        "`location` is asked of files, and `for` names neither downloads nor uploads",
        hint:
          "write `for: [page, download, upload]`, which is also what a rule with `location` and without `for` speaks of"
      )
    }
    return location.map { location in
      let owner: NamedPlace.Owner? = account.map { $0 == NamedPlace.Owner.ownWord ? .own : .account($0) }
      return NamedPlace(location, of: owner ?? .nobody)
    }
  }

  static var purposes: YAMLDecoder<Purposes> {
    .converting(
      .oneOrMany(of: .word(Purposes.names.map { ($0.name, $0.purpose) })), { Purposes($0) })
  }

  private static var action: YAMLDecoder<RuleAction> {
    .word([("block", .block), ("redirect", .redirect)])
  }
}
