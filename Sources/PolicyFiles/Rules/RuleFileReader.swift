internal import GuardModel
internal import URLRules

/// One rule file as it is written, before includes are spliced in.
struct RuleFile: Sendable {
  /// One entry of `rules:`.
  enum Item: Sendable {
    case rule(RuleDraft)
    /// The rules of another file, named below the directory `rules`.
    case include(Located<String>)
  }

  /// The name below the directory `rules`: `common/sign-in.yaml`.
  let name: String
  /// The name as the user knows it.
  let path: String
  /// Nil makes the file a fragment, which can only be included.
  var ruleSet: Located<String>?
  /// The verdict for URLs that match no rule; nil in a fragment.
  var `default`: Located<Verdict>?
  var items: [Item] = []
  var tests: [RuleTestDraft] = []
  /// The lists that its rules name.
  var lists: [ListUse] = []
  /// False when the file may define a rule set, or rules, that could not be read.
  var isWhole = true

  init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The prefix of its rules' ids where it is included: `common/sign-in.yaml` gives `sign-in`.
  var prefix: String {
    if let ruleSet { return ruleSet.value }
    let file = name.split(separator: "/").last.map(String.init) ?? name
    return file.hasSuffix(".yaml") ? String(file.dropLast(".yaml".utf8.count)) : file
  }

  var includes: [Located<String>] {
    items.compactMap { if case .include(let name) = $0 { name } else { nil } }
  }
}

/// One rule, as far as it could be read.
struct RuleDraft: Sendable {
  /// Nil when it is missing or wrong, which has been reported.
  var id: Located<String>?
  /// Nil likewise.
  var rule: Rule?
}

/// The text of a rule file, to point into the middle of a value.
struct RuleSource: Sendable {
  private let bytes: [UInt8]
  /// The start of each line.
  private let lineStarts: [Int]

  /// Columns further out than any person writes are not looked for: that work grows with the column.
  private static let maximumColumn = 10_000

  init(bytes: [UInt8]) {
    self.bytes = bytes
    lineStarts = [0] + bytes.indices.lazy.filter { bytes[$0] == .lineFeed }.map { $0 + 1 }
  }

  /// The place of byte `offset` of a value, when the file holds it letter for letter up to there; else the place where
  /// the value begins.
  ///
  ///     regex: '^https://(a'      # offset 11, the end, is column 20 of this line
  ///
  /// A value with escapes, doubled quotes or several lines before the offset stands differently in the file.
  func location(ofByte offset: Int, in value: String, at start: SourceLocation) -> SourceLocation {
    guard (1...Self.maximumColumn).contains(start.column) else { return start }
    let prefix = value.utf8.prefix(max(0, offset))
    var text = line(start.line).unicodeScalars.dropFirst(start.column - 1)
    var place = start
    if let quote = text.first, quote == "'" || quote == "\"", value.unicodeScalars.first != quote {
      text = text.dropFirst()
      place.column += 1
    }
    guard String(text).utf8.starts(with: prefix) else { return start }
    place.column += String(decoding: prefix, as: UTF8.self).unicodeScalars.count
    return place
  }

  /// The text of a line counted from 1, as far as it matters; empty when there is none.
  private func line(_ number: Int) -> String {
    guard lineStarts.indices.contains(number - 1) else { return "" }
    let rest = bytes[lineStarts[number - 1]...].prefix { $0 != .lineFeed }
    return String(decoding: rest.prefix(4 * Self.maximumColumn), as: UTF8.self)
  }
}

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
    let message = reader.optional("message", .shownWords)
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

/// A point in time as a rule file writes it, in seconds since 1970.
///
///     2027-01-31                   a day of UTC: its end, or its beginning
///     2027-01-31T18:00:00+01:00    RFC 3339
///
/// Trap: a time of day without `Z` or an offset is another time in every place; it is refused.
enum PointInTime {
  /// The meaning of a day without a time.
  enum DayMeans { case beginning, end }

  static func decoder(day: DayMeans) -> YAMLDecoder<Int64> {
    YAMLDecoder("a day or a time") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      if let time = seconds(text, day) { return time }
      diagnostics.error(
        .invalidTime, at: node.location, "\(text.quoted) is not a day or a time",
        hint: RFC3339.milliseconds(text + "Z") == nil
          ? "write it as in `2027-01-31` or `2027-01-31T18:00:00Z`" : "add `Z` for UTC, or an offset as in `+01:00`")
      return nil
    }
  }

  private static func seconds(_ text: String, _ day: DayMeans) -> Int64? {
    guard let milliseconds = RFC3339.milliseconds(text) else { return nil }
    let isDay = text.utf8.count == "2027-01-31".utf8.count
    return Int64(milliseconds / 1000) + (isDay && day == .end ? 86_400 : 0)
  }
}
