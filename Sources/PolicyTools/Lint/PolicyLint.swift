internal import GuardModel
internal import PolicyEngine
package import PolicyFiles
internal import URLRules

/// Lint findings in a policy: the effects of its rule sets.
package struct PolicyLint {
  let policy: LoadedPolicy
  private let sets: [LintedRules]

  private let time: Int64

  /// The rule sets are those of the policy, linted at the same time, in seconds since 1970.
  package init(_ policy: LoadedPolicy, _ sets: [LintedRules], at time: Int64) {
    self.policy = policy
    self.sets = sets
    self.time = time
  }

  package var findings: Diagnostics {
    var diagnostics = Diagnostics()
    for set in sets { for finding in unused(set) + withoutEffect(set) { diagnostics.add(finding) } }
    for finding in internalDefaults + monitoringOver + ofPolicy + ofAppConfig { diagnostics.add(finding) }
    return diagnostics
  }

  /// Apps and protections whose monitoring is over; rules are told with their rule set.
  private var monitoringOver: [Diagnostic] {
    policy.monitoredParts.filter { $0.kind != .rule }.compactMap { $0.finding(at: time, in: SourceLocation(file: "")) }
  }

  private var classes: [ViewerClass] { policy.apps.flatMap(\.classes) }

  private func ruleSet(of viewerClass: ViewerClass) -> LintedRules? {
    viewerClass.ruleSet.flatMap { number in
      let name = policy.ruleSet(at: number)?.name
      return sets.first { $0.ruleSet.name == name }
    }
  }

  private func isUsed(_ set: LintedRules) -> Bool {
    classes.contains { ruleSet(of: $0)?.ruleSet.name == set.ruleSet.name }
  }

  private func unused(_ set: LintedRules) -> [Diagnostic] {
    guard !isUsed(set) else { return [] }
    return [
      Diagnostic(
        .warning, .unusedRuleSet, at: set.wholeFile, "no class uses \(set.ruleSet.name.quoted)",
        hint: "name it in a class (`externalURLs`); else it counts only where an app asks for it by name",
        witness: set.internalURLs.first.map { RuleQuestion(url: $0) }.flatMap(set.witness))
    ]
  }

  /// External pages load in place for every account, so the verdict changes nothing.
  private func withoutEffect(_ set: LintedRules) -> [Diagnostic] {
    guard isUsed(set), !policy.protections.isEmpty, policy.protections.allSatisfy({ $0.webTransfer == .any }) else {
      return []
    }
    let rule = set.inForce.first { !$0.isInternal && $0.rule.then == .none }
    let questions = (rule?.questions ?? []) + [RuleQuestion(url: "https://somebody-else.example/")]
    guard let question = questions.first(where: { set.isExternalWithoutAction($0) }) else { return [] }
    let place = SourceLocation(printed: set.ruleSet.defaultLocation) ?? set.wholeFile
    return [
      Diagnostic(
        .warning, .externalWithoutEffect, at: place,
        "what \(set.ruleSet.name.quoted) calls external loads in place all the same",
        hint: "every protection says `webTransfer: any`; say what becomes of external pages there, or with `then` here",
        witness: set.witness(question))
    ]
  }

  /// Classes whose rules call unforeseen URLs internal.
  private var internalDefaults: [Diagnostic] {
    classes.compactMap { viewerClass in
      guard let set = ruleSet(of: viewerClass), set.ruleSet.default == .internal else { return nil }
      let witness = set.internalWitness(RuleQuestion(url: "https://somebody-else.example/"))
      guard let witness, witness.rule == RuleTestStep.defaultRule else { return nil }
      return Diagnostic(
        .warning, .internalDefault, at: SourceLocation(printed: viewerClass.location) ?? set.wholeFile,
        "class \(viewerClass.name.quoted) has rules that call every URL internal which they do not name",
        hint: "write `default: external` in \(set.ruleSet.name.quoted), and name what is yours", witness: witness)
    }
  }
}

extension LintedRules {
  fileprivate func isExternalWithoutAction(_ question: RuleQuestion) -> Bool {
    asker.verdict(of: question).map { $0.verdict == .external && $0.then == .none } ?? false
  }
}

/// Findings on the accounts of rules that name a place (SL-05, SL-09) and its owner.
extension PolicyLint {
  var places: [Diagnostic] {
    var told: Set<String> = []
    return policy.ruleSets.flatMap(\.rules).compactMap { rule in
      guard let place = rule.place, told.insert(rule.location).inserted else { return nil }
      return judge(place, of: rule)
    }
  }

  private func judge(_ place: NamedPlace, of rule: Rule) -> Diagnostic? {
    let at = SourceLocation(printed: rule.location) ?? SourceLocation(file: "")
    switch place.owner {
    case .own: return nil
    case .nobody:
      guard rule.verdict == .internal, place.location != .other else { return nil }
      return Diagnostic(
        .warning, .placeWithoutAccount, at: at,
        "rule \(rule.id.quoted) names \(place.location.name.quoted) without `account`: it counts as nobody's place",
        hint: "write `account: own` for the account that asks, or the account whose place it is")
    case .account(let name):
      guard !isKnown(AccountName.fold(name)) else { return nil }
      return Diagnostic(
        .warning, .unknownPlaceAccount, at: at,
        "rule \(rule.id.quoted) names a place of \(name.quoted), and the policy does not know that account: files there "
          + "are blocked",
        hint: "write `account: own` for the account that asks, or list it under `accounts`")
    }
  }

  private func isKnown(_ folded: String) -> Bool {
    policy.accounts.entry(named: folded) != nil
      || policy.protections.contains { protection in
        protection.accountPatterns.contains { AccountName.pattern($0, takes: folded) }
      }
  }
}

/// Lint findings in rule sets.
extension Diagnostic.Code {
  package static let shadowedRule: Self = "shadowed-rule"
  package static let contradictedHost: Self = "contradicted-host"
  package static let impossibleRule: Self = "impossible-rule"
  package static let changesNothing: Self = "changes-nothing"
  package static let regexDot: Self = "regex-dot"
  package static let regexAnchor: Self = "regex-anchor"
  package static let regexHost: Self = "regex-host"
  package static let regexScheme: Self = "regex-scheme"
  package static let patternBorder: Self = "pattern-border"
  package static let plainHTTP: Self = "plain-http"
  package static let evadedPath: Self = "evaded-path"
  package static let lookAlike: Self = "look-alike"
  package static let listOverlap: Self = "list-overlap"
  package static let expiresSoon: Self = "expires-soon"
  package static let expired: Self = "expired"
  package static let monitoringOver: Self = "monitoring-over"
  package static let noTests: Self = "no-tests"
  package static let notLinted: Self = "not-linted"
  package static let alwaysChecked: Self = "always-checked"
  package static let unknownContext: Self = "unknown-context"
  package static let indirectReach: Self = "indirect-reach"
  package static let anyTarget: Self = "any-target"
}

/// Lint findings in a policy.
extension Diagnostic.Code {
  package static let externalWithoutEffect: Self = "external-without-effect"
  package static let unusedRuleSet: Self = "unused-rule-set"
  package static let internalDefault: Self = "internal-default"
  package static let noProtections: Self = "no-protections"
  package static let noPeers: Self = "no-peers"
  package static let severalProtections: Self = "several-protections"
  package static let noBrowser: Self = "no-browser"
  package static let invalidUPN: Self = "invalid-upn"
  package static let unitOfAnyUser: Self = "unit-of-any-user"
  package static let messagingAny: Self = "messaging-any"
  package static let noEscrow: Self = "no-escrow"
  package static let notCarriedOut: Self = "not-carried-out"
  package static let unknownPlaceAccount: Self = "unknown-place-account"
  package static let placeWithoutAccount: Self = "place-without-account"
  package static let noRules: Self = "no-rules"
  package static let framesNotJudged: Self = "frames-not-judged"
}

extension LoadedPolicy {
  /// Nil at a place that the policy does not have.
  func ruleSet(at index: RuleSetIndex) -> RuleSet? {
    ruleSets.indices.contains(Int(index.place)) ? ruleSets[Int(index.place)] : nil
  }
}
