/// What lints find in rule sets.
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
  package static let anyTarget: Self = "any-target"
}

/// What lints find in a policy.
extension Diagnostic.Code {
  package static let externalWithoutEffect: Self = "external-without-effect"
  package static let unusedRuleSet: Self = "unused-rule-set"
  package static let internalDefault: Self = "internal-default"
}
