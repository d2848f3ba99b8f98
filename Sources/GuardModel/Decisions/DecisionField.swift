/// A field of a decision, in the order of replies, of log lines and of policy tests.
///
/// The one table of fields: `value` and `entry` give each its value, its names and its uses, and the compiler asks for
/// all of them. Replies, records, filters, policy tests, comparisons and the Swift client go through it and have no
/// lists of their own.
package enum DecisionField: UInt8, Sendable, Hashable, CaseIterable {
  case outcome, reason, viewerIsUnknown, policy, policySource, identity, identityLevel, protection, protectionSource
  case verdict, ruleSet, rule, ruleLocation, exception, message, open, target, offered, bodyDropped, signIn
  case clip, proposal, clipOwner, limit, onlyPlainText, mimeWrap, replacement, programs, blurPreview
  case setOwner, mustEncrypt, tagAs, switchTo, switchRequest, location, notes, advice
  case generation, digest, mode

  /// The value that the decision has.
  package func value(in report: DecisionReport) -> FieldValue {
    switch self {
    case .outcome: .text(report.outcome.name)
    case .reason: .text(report.reason.rawValue)
    case .viewerIsUnknown: .flag(report.flags[.viewerIsUnknown])
    case .policy: .text(report.policy?.name)
    case .policySource: .text(report.policySource?.rawValue)
    case .identity: .account(report.identity)
    case .identityLevel: .text(report.identityLevel.rawValue)
    case .protection: .text(report.protection)
    case .protectionSource: .text(report.protectionSource?.rawValue)
    case .verdict: .text(report.verdict?.name)
    case .ruleSet: .text(report.ruleSet)
    case .rule: .text(report.rule)
    case .ruleLocation: .text(report.ruleLocation)
    case .exception: .text(report.exception?.id)
    case .message: .text(report.message)
    case .open: .offer(isMade: report.open != nil)
    case .target: .text(report.open?.target)
    case .offered: .text(report.offered?.name)
    case .bodyDropped: .flag(report.flags[.bodyDropped])
    case .signIn: .flag(report.flags[.signIn])
    case .clip: .text(report.clip)
    case .proposal: .text(report.proposal)
    case .clipOwner: .account(report.clipOwner)
    case .limit: .number(report.limit.map { UInt64(clamping: $0) })
    case .onlyPlainText: .flag(report.flags[.onlyPlainText])
    case .mimeWrap: .flag(report.flags[.mimeWrap])
    case .replacement: .text(report.replacement)
    case .programs: .texts(report.programs)
    case .blurPreview: .flag(report.flags[.blurPreview])
    case .setOwner: .account(report.setOwner)
    case .mustEncrypt: .flag(report.flags[.mustEncrypt])
    case .tagAs: .account(report.tagAs)
    case .switchTo: .account(report.switchTo)
    case .switchRequest: .text(report.switchRequest)
    case .location: .text(report.location?.name)
    case .notes: .notes(report.notes)
    case .advice: .advice(isGiven: report.advice != nil)
    case .generation: .number(report.generation.number)
    case .digest: .digest(report.generation.digest)
    case .mode: .text((report.advice == nil ? DecisionMode.enforced : .monitored).rawValue)
    }
  }

  /// The names and uses. They stand apart from the values, which are asked for in each answer that is written.
  private var entry: Entry {
    switch self {
    case .outcome: Entry("outcome")
    case .reason: Entry("reason")
    case .viewerIsUnknown: Entry("viewerIsUnknown")
    case .policy: Entry("policy")
    case .policySource: Entry("policySource")
    case .identity: Entry("identity", record: "account", line: .actor)
    case .identityLevel: Entry("identityLevel")
    case .protection: Entry("protection")
    case .protectionSource: Entry(nil, record: "source", line: .actor)
    case .verdict: Entry("verdict")
    case .ruleSet: Entry("ruleSet")
    case .rule: Entry("rule")
    case .ruleLocation: Entry("ruleLocation")
    case .exception: Entry("exception", line: .rest)
    case .message: Entry("message", record: nil)
    case .open: Entry("open", record: nil)
    case .target: Entry(nil, record: "target")
    case .offered: Entry("offered")
    case .bodyDropped: Entry("bodyDropped")
    case .signIn: Entry("signIn", test: .value)
    case .clip: Entry("clip", record: "newClip")
    case .proposal: Entry("proposal", record: "newProposal")
    case .clipOwner: Entry(nil, record: "clipOwner", line: .owner)
    case .limit: Entry("limit")
    case .onlyPlainText: Entry("onlyPlainText", duty: .previewed)
    case .mimeWrap: Entry("mimeWrap", duty: .previewed)
    case .replacement: Entry("replacement", record: nil)
    case .programs: Entry("programs", record: nil)
    case .blurPreview: Entry("blurPreview", record: nil, test: .value)
    case .setOwner: Entry("setOwner", test: .value, line: .owner)
    case .mustEncrypt: Entry("mustEncrypt", test: .value, line: .rest, duty: .compared("encrypted"))
    case .tagAs: Entry("tagAs", test: .value, line: .owner, duty: .compared("tagged"))
    case .switchTo: Entry("switchTo", test: .valueOrEmpty, line: .owner)
    case .switchRequest: Entry("request", record: "switchRequest")
    case .location: Entry("location", record: "judgedLocation", line: .rest)
    case .notes: Entry("notes", line: .rest)
    case .advice: Entry("advice", record: "advised")
    case .generation: Entry("generation", line: .rest)
    case .digest: Entry("digest")
    case .mode: Entry("mode", record: nil)
    }
  }

  private struct Entry {
    let reply: StaticString?
    let record: StaticString?
    let test: FieldExpectation?
    let line: LinePart?
    let duty: FieldDuty?

    /// - Parameters:
    ///   - reply: the name in replies; nil for a field of the log alone.
    ///   - record: the name in records; nil for a field of replies alone.
    init(
      _ reply: StaticString?, record: StaticString?, test: FieldExpectation? = nil, line: LinePart? = nil,
      duty: FieldDuty? = nil
    ) {
      (self.reply, self.record) = (reply, record)
      (self.test, self.line, self.duty) = (test, line, duty)
    }

    /// A field with one name.
    init(
      _ name: StaticString, test: FieldExpectation? = nil, line: LinePart? = nil, duty: FieldDuty? = nil
    ) {
      self.init(name, record: name, test: test, line: line, duty: duty)
    }
  }

  /// The part of a log line that shows a field.
  package enum LinePart: Sendable {
    /// The account that acts.
    case actor
    /// The accounts that data belongs to.
    case owner
    case rest
  }

  /// A value of the field's kind with nothing in it.
  package var kind: FieldValue { value(in: DecisionReport()) }
  /// The values that a policy test may expect; nil when it may expect none.
  package var expectation: FieldExpectation? { Self.table[Int(rawValue)].test }
  /// Nil for a field that log lines leave out.
  package var line: LinePart? { Self.table[Int(rawValue)].line }
  /// Nil for a field that is no duty.
  package var duty: FieldDuty? { Self.table[Int(rawValue)].duty }

  /// The fields of replies, in their order.
  package static let inReplies = allCases.compactMap { NamedField($0, table[Int($0.rawValue)].reply) }
  /// The fields of records, in their order: the most telling ones come first.
  package static let inRecords = (first + allCases.filter { !first.contains($0) }).compactMap {
    NamedField($0, table[Int($0.rawValue)].record)
  }

  private static let first: [DecisionField] = [
    .outcome, .reason, .advice, .viewerIsUnknown, .location, .notes, .policy, .policySource, .identityLevel,
  ]
  private static let table = allCases.map(\.entry)
}

/// A field under the name that replies or records have for it.
package struct NamedField: Sendable {
  package let field: DecisionField
  package let name: StaticString

  fileprivate init?(_ field: DecisionField, _ name: StaticString?) {
    guard let name else { return nil }
    (self.field, self.name) = (field, name)
  }
}

/// The value of a field. Its kind decides how it is written, read, expected and shown.
package enum FieldValue: Sendable, Hashable {
  /// A word of the interface, a name or a sentence.
  case text(String?)
  /// An account: the log has its pseudonym. The empty text is explicitly no account.
  case account(String?)
  /// SHA-256 in hexadecimal. Records leave the empty one out.
  case digest(String)
  /// Written only if it holds.
  case flag(Bool)
  case number(UInt64?)
  case texts([String]?)
  case notes(DecisionNotes)
  /// The offer itself stands in the report: it would make every value longer.
  case offer(isMade: Bool)
  /// Likewise.
  case advice(isGiven: Bool)

  package var isAccount: Bool { if case .account = self { true } else { false } }

  /// A decision without it says nothing of the field.
  package var isStated: Bool {
    switch self {
    case .text(let text), .account(let text): text != nil
    case .digest(let digest): !digest.isEmpty
    case .number(let number): number != nil
    case .texts(let texts): texts != nil
    case .notes(let notes): !notes.isEmpty
    case .flag(let isStated), .offer(let isStated), .advice(let isStated): isStated
    }
  }
}

/// The values of a field that a policy test may expect.
package enum FieldExpectation: Sendable {
  case value
  /// The empty text too: explicitly no account.
  case valueOrEmpty
}

/// A duty of the app beside the outcome. An answer without it is looser.
package enum FieldDuty: Sendable {
  /// A preview of a policy lists it.
  case previewed
  /// A comparison of two policies tells it in this word, too.
  case compared(String)
}

/// The facts that a decision states or leaves out.
package struct DecisionFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Whether these facts hold.
  package subscript(facts: DecisionFlags) -> Bool {
    get { contains(facts) }
    set { if newValue { formUnion(facts) } else { subtract(facts) } }
  }

  /// No app registered the viewer; part of the reason.
  package static let viewerIsUnknown = DecisionFlags(rawValue: 1)
  /// The request is no GET, and its body does not go along with the redirect.
  package static let bodyDropped = DecisionFlags(rawValue: 2)
  /// Only `text/plain` may be inserted.
  package static let onlyPlainText = DecisionFlags(rawValue: 4)
  /// Programs that do not ask may not have the clip: they read a notice, and the content lies beside it under a private
  /// type (ledger CB-17).
  package static let mimeWrap = DecisionFlags(rawValue: 8)
  /// Previews of the window show nothing readable (ledger SC-04).
  package static let blurPreview = DecisionFlags(rawValue: 16)
  /// The stored data must be encrypted (ledger FE-01, SL-15).
  package static let mustEncrypt = DecisionFlags(rawValue: 32)
  /// The page may get the proof that the view's account is signed in.
  package static let signIn = DecisionFlags(rawValue: 64)
}
