/// Why a program has to start anew (ledger RS-01 to RS-03; design, accounts, section 4).
///
/// A policy comes into force without any restart. These are the cases in which something lies in the program that the
/// daemon cannot change from outside.
public enum RestartCause: String, Sendable, Hashable, CaseIterable {
  /// The static rules that the program loaded were exported from another configuration than the one in force. The program
  /// named it with `Attach`.
  case staticRules
  /// The policy fixes another account for the app than the one whose data the program has loaded.
  case fixedAccount
  /// The program shows one account at a time, and the app no longer takes that one (ledger RS-03).
  case accountMustGo
}

/// How far a request to start anew is.
package enum RestartStep: String, Sendable, Hashable, CaseIterable {
  case asked
  /// The program starts anew by itself: the SDK's `true` (ledger RS-02).
  case done
  /// The program leaves it to the person: the SDK's `false`.
  case refused
  /// The program tried.
  case failed
  /// It did not answer in time.
  case silent

  /// The person has to be told, since the program does nothing.
  package var isForPerson: Bool { self == .refused || self == .failed || self == .silent }

  package init(_ result: RequestResult) {
    switch result {
    case .done: self = .done
    case .refused: self = .refused
    case .failed: self = .failed
    }
  }
}

/// A request to start anew, as its program hears it. Times are milliseconds since 1970.
package struct RestartRequest: Sendable, Hashable {
  /// The id that `Complete` names.
  package var id: String
  package var cause: RestartCause
  /// The account that has to go, as the policy spells it; nil where none has to.
  package var account: String?
  /// The program counts as silent then.
  package var deadline: UInt64

  package init(id: String, cause: RestartCause, account: String?, deadline: UInt64) {
    self.id = id
    self.cause = cause
    self.account = account
    self.deadline = deadline
  }
}

/// Something that a person is to be told once, outside of any app.
package struct PersonNotice: Sendable, Hashable {
  /// The same for as long as the same thing goes on, also after a restart of the daemon.
  package var id: String
  /// The organisation's name, where the policy has one.
  package var title: String?
  /// In the person's language, without markup.
  package var text: String

  package init(id: String, title: String?, text: String) {
    self.id = id
    self.title = title
    self.text = text
  }
}
