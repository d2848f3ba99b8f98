package import GuardModel
package import JSONText

/// One reply of `Subscribe`.
package struct NewsReply: Reply, Sendable, Hashable {
  package var topic: Topic
  package var generation: Generation
  /// The account whose standing changed, or whose data the app must show; `""` for unmanaged data.
  package var account: String?
  /// The account's standing now.
  package var state: AccountState?
  /// The window that must show it; nil means the process.
  package var window: String?
  /// The id that `Answer` names.
  package var request: String?
  package var cause: SwitchCause?
  /// `account`: how the question to unlock it ended.
  package var unlock: UnlockResult?
  /// `enrollment`: the point of the account's life, and the result.
  package var life: AccountLifeState?
  package var result: EnrollmentResult?
  /// `compliance`: what came of a look at the account, with a title and a text for its person.
  package var compliance: ComplianceNews?
  /// `allowedAccounts`: the accounts that the app takes; nil for all.
  package var accounts: [String]?
  /// `restart`: why the app has to start anew.
  package var restart: RestartCause?
  /// `wipe`, `restart`: when the app counts as silent, in milliseconds since 1970.
  package var deadline: UInt64?
  /// `dataProtection`: how the account's files have to be encrypted, and the number of its newest key.
  package var encryption: FileEncryption?
  package var keyID: String?
  /// `policy`: what notices show of the organisation.
  package var organization: Organization?
  /// Number of replies before this one that a slow reader missed.
  package var missed: Int

  package init(_ topic: Topic, _ generation: Generation) {
    self.topic = topic
    self.generation = generation
    missed = 0
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("topic", topic.rawValue)
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
    writer.member("account", ifPresent: account)
    writer.member("state", ifPresent: state?.rawValue)
    writer.member("window", ifPresent: window)
    writer.member("request", ifPresent: request)
    writer.member("cause", ifPresent: cause?.rawValue)
    writer.member("unlock", ifPresent: unlock?.rawValue)
    writer.member("life", ifPresent: life?.rawValue)
    writer.member("result", ifPresent: result?.rawValue)
    writer.member("status", ifPresent: compliance?.status.rawValue)
    writer.member("title", ifPresent: compliance?.title)
    writer.member("text", ifPresent: compliance?.text)
    if let accounts { writer.member("accounts", accounts) }
    writer.member("restart", ifPresent: restart?.rawValue)
    writer.member("deadline", ifPresent: deadline)
    writer.member("encryption", ifPresent: encryption?.rawValue)
    writer.member("keyId", ifPresent: keyID)
    writer.member("organization", ifPresent: organization)
    writer.member("missed", ifPresent: missed > 0 ? missed : nil)
  }
}

/// The part of news of `compliance` (ledger CA-05).
package struct ComplianceNews: Sendable, Hashable {
  package var status: ComplianceStatus
  package var title: String
  package var text: String

  package init(_ status: ComplianceStatus, title: String, text: String) {
    (self.status, self.title, self.text) = (status, title, text)
  }
}
