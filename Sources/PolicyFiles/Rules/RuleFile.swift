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
