/// What rule files can have wrong.
extension Diagnostic.Code {
  package static let invalidHost: Self = "invalid-host"
  package static let invalidURL: Self = "invalid-url"
  package static let invalidScheme: Self = "invalid-scheme"
  package static let invalidRegex: Self = "invalid-regex"
  package static let nonASCIIRegex: Self = "non-ascii-regex"
  package static let invalidTime: Self = "invalid-time"
  package static let invalidPattern: Self = "invalid-pattern"
  package static let invalidFilter: Self = "invalid-filter"
  package static let invalidNetwork: Self = "invalid-network"
  package static let credentialsOnExternal: Self = "credentials-on-external"
  package static let hiddenFilter: Self = "hidden-filter"
  package static let neverMatches: Self = "never-matches"
  package static let emptyMatcher: Self = "empty-matcher"
  package static let actionOnInternal: Self = "then-on-internal"
  package static let accountWithoutLocation: Self = "account-without-location"
  package static let accountOnExternal: Self = "account-on-external"
  package static let locationWithoutFiles: Self = "location-without-files"
  package static let reservedName: Self = "reserved-name"
  package static let notARuleSet: Self = "not-a-rule-set"
  package static let testsInFragment: Self = "tests-in-fragment"
}

/// What includes can have wrong.
extension Diagnostic.Code {
  package static let invalidInclude: Self = "invalid-include"
  package static let includeNotFound: Self = "include-not-found"
  package static let includeCycle: Self = "include-cycle"
  package static let includeTooDeep: Self = "include-too-deep"
  package static let tooManyRules: Self = "too-many-rules"
}
