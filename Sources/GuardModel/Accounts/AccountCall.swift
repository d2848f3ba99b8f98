/// The words of accounts' life: what apps and sources say of accounts, and what the daemon answers.

/// Where an account stands in its life, for one app of one person (design, accounts, section 1).
///
///     unknown -> registered -> enrolled -> (blocked | nonCompliant | policyRequired | locked …) -> wipePending -> wiped
///
/// An app may use an account only while it is `enrolled`, or `unmanaged`. Unknown words of later versions count as
/// `blocked`.
public enum AccountLifeState: String, Sendable, Hashable, CaseIterable {
  /// No program said anything of it, and no rule of the policy takes it.
  case unknown
  /// No protection binds it: the organisation has no say.
  case unmanaged
  /// It was registered and may not work yet; it is tried again.
  case registered
  /// It may work.
  case enrolled
  /// The app ended its access. Its data stays the organisation's.
  case suspended
  /// The organisation blocked it.
  case blocked
  /// It does not meet the organisation's conditions.
  case nonCompliant
  /// A protection binds it, and no source says that it is signed in.
  case policyRequired
  /// The app takes only other accounts.
  case notAllowed
  /// Nothing is known of its conditions, and the time of grace is over.
  case notChecked
  /// Its user has to unlock it first.
  case locked
  /// It is locked, and its data will be removed.
  case wipePending
  /// Its data was removed.
  case wiped
}

/// The result of an enrolment, a check-in or an end of access, with the number that the SDK has for it (ledger ST-03,
/// ST-04).
///
///     EnrollmentResult.newPolicies.number    // 100
public enum EnrollmentResult: String, Sendable, Hashable, CaseIterable {
  case newPolicies
  case unchanged
  case wipeReceived
  case noPolicy
  case unenrolled
  case internalError
  case unreadablePolicy
  case noAccount
  case alreadyEnrolled
  case notOrganizationAccount
  case otherUser
  case notSignedIn
  case notEnrolled
  case notEnrolledAccount
  case clearFailed
  case notChecked
  case unsupported
  case notTargeted
  case blocked
  case singleAccount

  /// The SDK's number.
  public var number: Int {
    switch self {
    case .newPolicies: 100
    case .unchanged: 101
    case .wipeReceived: 102
    case .noPolicy: 103
    case .unenrolled: 104
    case .internalError: 201
    case .unreadablePolicy: 206
    case .noAccount: 207
    case .alreadyEnrolled: 208
    case .notOrganizationAccount: 209
    case .otherUser: 210
    case .notSignedIn: 211
    case .notEnrolled: 213
    case .notEnrolledAccount: 214
    case .clearFailed: 215
    case .notChecked: 216
    case .unsupported: 223
    case .notTargeted: 225
    case .blocked: 226
    case .singleAccount: 227
    }
  }

  /// It is no failure.
  public var isSuccess: Bool { number < 200 }

  /// The app should remove the account: it can never be enrolled here.
  public var mustRemove: Bool { self == .notOrganizationAccount || self == .otherUser || self == .notSignedIn }
}

/// Who says that a person is signed in (design, accounts, section 2).
package enum AccountSource: String, Sendable, Hashable, CaseIterable {
  /// The user database: the person's Unix name.
  case user
  /// The person's session, which asks the sign-in service.
  case broker
  /// The app itself, by `Register`.
  case app
}

/// What becomes of an account's data in an app that ends its access (ledger DR-01, DR-03).
package enum DataFate: String, Sendable, Hashable, CaseIterable {
  /// The app deletes it, or leaves it. It stays managed.
  case keep
  /// The daemon sees that it is removed.
  case remove
}

/// The use of a key of one object (ledger SD-02, SD-03).
package enum DataKeyUse: String, Sendable, Hashable, CaseIterable {
  /// To seal a new object: under the account's newest key.
  case write
  /// To unseal one that exists: under the key of its header.
  case read
}

/// An account as a source names it: by UPN, object id or both.
package struct SignedInAccount: Sendable, Hashable {
  package var upn: String?
  package var objectID: String?

  package init(upn: String? = nil, objectID: String? = nil) {
    self.upn = upn
    self.objectID = objectID
  }

  /// Its names, the one that people see first.
  package var all: [String] { [upn, objectID].compactMap(\.self).filter { !$0.isEmpty } }
}

/// A call about an account's life. The wire decodes into one, policy tests read one, and `Guard.perform` alone carries
/// it out.
package enum AccountCall: Sendable, Hashable {
  /// The app says that somebody signed in; nil names no account, which is answered `noAccount` (ledger EN-02, EN-03).
  case register(String?)
  /// The app ends its access (ledger DR).
  case deregister(String, DataFate)
  /// The result of a request of the daemon (ledger WP-02).
  case complete(request: String, RequestResult)
  /// May somebody sign in to the app with this account (ledger AA-02)?
  case maySignIn(String)
  /// Does the account meet its conditions? Unless `silent`, its person is asked where that is needed (ledger CA-02).
  case remediate(String, silent: Bool)

  /// The method of the wire: `Register`
  package var name: String {
    switch self {
    case .register: "Register"
    case .deregister: "Deregister"
    case .complete: "Complete"
    case .maySignIn: "MaySignIn"
    case .remediate: "Remediate"
    }
  }
}

/// The answer to an `AccountCall`.
package struct AccountAnswer: Sendable, Hashable {
  /// As the policy spells it.
  package var account: String
  package var state: AccountLifeState
  package var result: EnrollmentResult?
  /// The reason why the account may not work; nil when it may.
  package var reason: Reason?
  /// The look at it that `Remediate` asked for; nil for an account of which there is nothing to look at.
  package var request: String?
  /// What came of the latest look; nil before one has ended.
  package var compliance: ComplianceStatus?

  package init(
    account: String, state: AccountLifeState, result: EnrollmentResult? = nil, reason: Reason? = nil
  ) {
    self.account = account
    self.state = state
    self.result = result
    self.reason = reason
  }
}

/// The latest word of a source about a person, as administrators see it. Private accounts are left out.
package struct ListedSignIn: Sendable, Hashable {
  package var person: UInt32
  package var source: AccountSource
  /// The accounts that are signed in; empty when nobody is, or only private ones are.
  package var accounts: [String]
  /// When it came, in milliseconds since 1970.
  package var time: UInt64
  /// The end of its validity.
  package var until: UInt64

  package init(person: UInt32, source: AccountSource, accounts: [String], time: UInt64, until: UInt64) {
    (self.person, self.source, self.accounts) = (person, source, accounts)
    (self.time, self.until) = (time, until)
  }
}

/// Why an administrator's order about an account is not carried out.
package enum AccountRefusal: String, Error, Sendable, Hashable, CaseIterable {
  /// Neither the policy nor the state has such an app.
  case unknownApp
  /// The app of this person has no such account, and the policy does not name it.
  case unknownAccount
  /// No protection binds it.
  case unmanaged
  /// The app's access has ended already.
  case ended
  /// The app of this person has too many accounts.
  case tooMany
  /// No reason is given, or one that is too long.
  case badReason
  /// A wipe of it is under way.
  case underWay
  /// An administrator's wipe is pending already: one at a time.
  case wipePending
  /// No wipe of it is under way.
  case noWipe
  /// Its data is gone already.
  case tooLate
  /// This login user has agreed before.
  case sameApprover
  /// Two persons have to agree, and the caller's login is not known.
  case noLogin
  /// The code is not that of a preview of the last ten minutes.
  case badCode
  /// The order holds now, and a restart may forget it: the state file cannot be written.
  case notKept
  /// The account has no key yet: it gets its first one when something is sealed.
  case noKey
  /// The daemon can use no keys now, or has no room for another one.
  case keysUnusable
  /// A copy that shall bring a key back is none, was changed, is of another account, or is not sealed to this machine.
  case badCopy
  /// A wipe destroyed the key on this machine, for good.
  case keyDestroyed
}

/// An account of an app and a person, as `List` shows it (ledger EN-10, MI-23, DC-02). Times are milliseconds since 1970.
package struct ListedAccount: Sendable, Hashable {
  package var person: UInt32
  package var app: String
  /// As the policy spells it.
  package var account: String
  package var state: AccountLifeState
  package var isManaged: Bool
  /// The protection that binds it; the first one when several do.
  package var protection: String?
  /// Who says that it is signed in.
  package var sources: [AccountSource] = []
  package var result: EnrollmentResult?
  package var registeredAt: UInt64?
  package var enrolledAt: UInt64?
  package var checkedInAt: UInt64?
  /// Its next enrolment.
  package var retryAt: UInt64?
  /// The latest attempt, or look whether it may stay enrolled.
  package var triedAt: UInt64?
  /// Its registration is forgotten then, unless it is checked in before.
  package var forgottenAt: UInt64?
  /// Why it may not work; nil when it may.
  package var reason: Reason?
  /// The look at it that is under way, and what came of the latest one (ledger CA-04).
  package var remediation: String?
  package var compliance: ComplianceStatus?
  /// How the app has to encrypt its files (ledger FE-01).
  package var encryption: FileEncryption?
  /// Running copies of the app of this person.
  package var instances = 0

  package init(person: UInt32, app: String, account: String, state: AccountLifeState, isManaged: Bool) {
    self.person = person
    self.app = app
    self.account = account
    self.state = state
    self.isManaged = isManaged
  }
}
