package import GuardModel

/// Why a call that changes state was refused. Nothing changed.
package enum StateError: Error, Sendable, Hashable {
  case unknownViewer(String)
  case unknownClass(String)
  case unknownParent(String)
  case unknownOpener(String)
  case unknownRuleSet(String)
  case unknownAccount(String)
  /// The configuration states another policy for the viewer's class.
  case policyLocked(viewer: String, policy: WebViewPolicy)
  /// The configuration states another rule set for the viewer's class.
  case rulesLocked(viewer: String, ruleSet: String)
  /// A viewer keeps the class it was registered with.
  case classLocked(viewer: String)
  /// The configuration states the app's account.
  case accountLocked(String)
  /// Rule sets belong on a concrete viewer, not on what only holds others (ledger WV-19).
  case rulesOnContainer(String)
  case documentIsExternal(String)
  case invalidDocument
  /// The app has one identity; windows and scopes have none of their own.
  case identityModeSingle
  /// The instance shows this other managed account, and may show one at a time (ledger MI-28, IS-05).
  case secondManagedAccount(shown: String)
  case viewerCycle(String)
  case limitReached(StateLimit, maximum: Int)
  /// The app is no longer in the policy.
  case unknownApp
}

/// What is capped.
package enum StateLimit: String, Sendable, Hashable, CaseIterable {
  case viewers
  case windows
  case accounts
  case instances
  case nameBytes
  case nesting
}

/// How much one instance may register. Caps refuse the new; they never forget what is.
package struct StateLimits: Sendable, Hashable {
  package var viewersPerInstance = 4096
  package var windowsPerInstance = 1024
  /// Accounts that no entry of the policy names, only a pattern.
  package var accountsPerUser = 4096
  package var instancesPerUser = 256
  /// Bytes of a viewer's, window's or class's name.
  package var nameBytes = 256
  /// How deep viewers may be nested.
  package var nesting = 64
  /// Accounts that one window may show together.
  package var accountsPerWindow = 16
  /// Names of viewers that are gone and showed an external page; with more, every new viewer counts as one that does.
  package var leftPagesPerInstance = 4096
  /// Switches of identity that wait for an answer.
  package var requestsPerInstance = 16
  /// How long the daemon waits for a switch that it asked for, in milliseconds.
  package var switchMilliseconds: UInt64 = 30_000

  package init() {}
}
