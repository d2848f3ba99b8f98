/// What the files of `policy.d` can have wrong.
extension Diagnostic.Code {
  package static let emptyPeer: Self = "empty-peer"
  package static let sharedSocket: Self = "shared-socket"
  package static let browserScheme: Self = "browser-scheme"
  package static let accountPattern: Self = "account-pattern"
  package static let invalidAccount: Self = "invalid-account"
  package static let missingPlaceholder: Self = "missing-placeholder"
  package static let openCommand: Self = "open-command"
  package static let rulesOnUnmanaged: Self = "rules-on-unmanaged"
  package static let invalidDesktopFile: Self = "invalid-desktop-file"
  package static let contradictorySettings: Self = "contradictory-settings"
  package static let settingWithoutEffect: Self = "setting-without-effect"
  package static let tooManyProtections: Self = "too-many-protections"
  package static let noSingleAccount: Self = "no-single-account"
  package static let unprotectedViewers: Self = "unprotected-viewers"
  package static let invalidLanguage: Self = "invalid-language"
  package static let invalidText: Self = "invalid-text"
  package static let unknownPlaceholder: Self = "unknown-placeholder"
}

/// What the tests of a policy can have wrong.
extension Diagnostic.Code {
  package static let unknownReason: Self = "unknown-reason"
  package static let invalidRequest: Self = "invalid-request"
  package static let noAppToTest: Self = "no-app-to-test"
}
