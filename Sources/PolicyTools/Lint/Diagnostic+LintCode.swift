package import PolicyFiles

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
  package static let unknownPlaceAccount: Self = "unknown-place-account"
  package static let placeWithoutAccount: Self = "place-without-account"
  package static let noRules: Self = "no-rules"
  package static let framesNotJudged: Self = "frames-not-judged"
}
