/// An app's statement about its identity that was not accepted (ledger MI-28, AA-05).
///
///     var refusal = RefusedChange(change, .accountLocked)
///     refusal.stated = "work@contoso.com"
package struct RefusedChange: Sendable, Hashable {
  /// The change that the app asked for. Nothing of it holds.
  package var change: StateChange
  package var reason: Reason
  /// The account that the policy states for the app, if that is the reason.
  package var stated: String?
  /// The managed account that is shown already, if that is the reason.
  package var shown: String?
  /// The number of further ones without a record of their own; nil for one.
  package var count: UInt64?

  package init(_ change: StateChange, _ reason: Reason) {
    self.change = change
    self.reason = reason
  }

  /// The reason, in the words of the wire's errors, results and decisions.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    case unknownAccount
    /// The policy states another account for the app.
    case accountLocked
    /// Another managed account is shown, and one may be.
    case secondManagedAccount
    /// The app has one identity, and no windows or scopes with others.
    case identityModeSingle
    /// The account may not work (ledger IS-13).
    case accountBlocked
    case accountNotCompliant
    case accountWiped
    case policyRequired
    case accountNotAllowed
    case notChecked
    case locked
    /// The user gave up at a gate.
    case canceled
    /// Another account, or another scope, prevents the switch.
    case notAllowed
    /// A gate did not open.
    case failed
    /// Too many accounts or windows, or too long a name.
    case limitReached
    /// The app has left the policy.
    case noApp
    /// Any other.
    case refused
  }
}
