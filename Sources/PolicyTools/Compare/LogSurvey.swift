package import DecisionLog
internal import Glibc
internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

/// The content of a log, from one fast look before judging: the protection that bound each pseudonym, and the number of
/// records that can be judged at all.
///
/// Only the bytes of a few members are looked for. A quote inside a text of JSON has a backslash before it, so nothing that a
/// page chose can look like a member.
package struct LogSurvey {
  /// Records of decisions.
  private(set) var decisions = 0
  /// Records of changes of state.
  private(set) var changes = 0
  /// Lines that are no records: events as an app states them.
  private(set) var plainLines = 0
  /// Records of decisions that hold too little, or rest on facts that only the daemon knew.
  private(set) var notReplayable = 0
  /// Number of replayable records, by app and pseudonym (nil without one).
  private(set) var replayable: [Owner: Int] = [:]
  /// Replayable records of owners that are not kept apart.
  private(set) var further = 0
  /// The protections that records name beside each pseudonym; the empty text where a record names none.
  package private(set) var protections: [String: Set<String>] = [:]
  private let least: Replayability
  private var progress = Progress("records looked at")

  struct Owner: Hashable {
    let app: String
    let account: String?
  }

  /// Most pseudonyms and owners that are kept apart; a log of one machine has some hundred.
  private static let maximum = 65_536

  package init(least: Replayability) { self.least = least }

  package mutating func read(_ path: String) throws(CommandFailure) {
    try LogFiles.forEachLine(of: path, beforeWaiting: {}) { line throws(CommandFailure) in
      progress.advance()
      if !line.isBlank { look(at: line) }
    }
    progress.finish()
  }

  private mutating func look(at line: Span<UInt8>) {
    let members = RecordMembers(of: line)
    guard members.isRecord else { return plainLines += 1 }
    guard members.type == RecordType.decision.rawValue else {
      if members.type == RecordType.state.rawValue { changes += 1 }
      return
    }
    decisions += 1
    let account = members.account.flatMap { $0.hasPrefix("acct:") ? $0 : nil }
    if let account, RecordedBindings.isOwn(event: members.event) { note(account, members.protection ?? "") }
    let level = members.replayable.flatMap(Replayability.init) ?? .no
    guard level >= least, !members.hasException else { return notReplayable += 1 }
    let owner = Owner(app: members.app ?? "", account: account)
    if replayable[owner] == nil, replayable.count >= Self.maximum { return further += 1 }
    replayable[owner, default: 0] += 1
  }

  private mutating func note(_ account: String, _ protection: String) {
    guard protections[account] != nil || protections.count < Self.maximum else { return }
    protections[account, default: []].insert(protection)
  }
}

/// A few members of a record, found among its bytes without reading the others.
private struct RecordMembers {
  var isRecord = false
  var hasException = false
  var type: String?
  var event: String?
  var app: String?
  var account: String?
  var protection: String?
  var replayable: String?

  init(of line: Span<UInt8>) {
    line.withUnsafeBytes { bytes in
      var place = 1
      while place < bytes.count, let quote = Self.quote(in: bytes, from: place) {
        place = quote + 1
        let before = bytes[quote - 1]
        guard before == UInt8(ascii: ",") || before == UInt8(ascii: "{") else { continue }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
        switch true {
        case rest.starts(with: "v\":".utf8): isRecord = true
        case rest.starts(with: "exception\":".utf8): hasException = true
        case rest.starts(with: "type\":\"".utf8): type = type ?? Self.text(rest, 7)
        case rest.starts(with: "event\":\"".utf8): event = event ?? Self.text(rest, 8)
        case rest.starts(with: "app\":\"".utf8): app = app ?? Self.text(rest, 6)
        case rest.starts(with: "account\":\"".utf8): account = account ?? Self.text(rest, 10)
        case rest.starts(with: "protection\":\"".utf8): protection = protection ?? Self.text(rest, 13)
        case rest.starts(with: "replayable\":\"".utf8): replayable = replayable ?? Self.text(rest, 13)
        default: break
        }
      }
    }
  }

  private static func quote(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base + start, 0x22, bytes.count - start) else { return nil }
    return base.distance(to: UnsafeRawPointer(found))
  }

  /// The text up to the next quote. Names of apps, protections and pseudonyms have no escapes.
  private static func text(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> String {
    String(decoding: bytes[start...].prefix { $0 != 0x22 }, as: UTF8.self)
  }
}

extension LogSurvey {
  /// The reason why no record can be judged, so no user waits for a million of them; nil when some may be.
  ///
  /// - Parameter app: the only app whose records are asked for.
  package func hopelessness(_ bindings: RecordedBindings, key: AccountPseudonyms?, app: String?) -> String? {
    guard decisions > 0, plainLines == 0, further == 0 else { return nil }
    let known = bindings.names(under: key)
    var reasons: [String: Int] = [:]
    if notReplayable > 0 { reasons["a record holds less than it takes to judge it again", default: 0] += notReplayable }
    for (owner, count) in replayable {
      guard let reason = problem(of: owner, bindings, known, app) else { return nil }
      reasons[reason, default: 0] += count
    }
    let shown = reasons.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.prefix(Self.maximumReasons)
    let words = shown.map { "\n  \($0.value)  \($0.key)" }.joined()
    return "of the \(decisions) decisions in the log none can be judged:\(words)"
  }

  private static let maximumReasons = 5

  private func problem(
    of owner: Owner, _ bindings: RecordedBindings, _ known: Set<String>, _ app: String?
  ) -> String? {
    if let app, app != owner.app { return "it belongs to the app \(owner.app.quoted)" }
    let isApp = [bindings.old, bindings.new].contains { $0.apps.contains { $0.name == owner.app } }
    guard isApp else { return "the policy has no app \(owner.app.quoted)" }
    guard let account = owner.account, !known.contains(account) else { return nil }
    return bindings.problem(of: account)
  }
}

extension RecordedBindings {
  /// The pseudonyms of the accounts that either policy names.
  fileprivate func names(under key: AccountPseudonyms?) -> Set<String> {
    guard var key else { return [] }
    return [old, new].reduce(into: []) { found, policy in
      let patterns = policy.protections.flatMap(\.accountPatterns).filter { !$0.hasPrefix("*@") }
      let entries = policy.accounts.entries.flatMap { [$0.upn, $0.objectID].compactMap(\.self) }
      for name in patterns + entries { found.insert(key.name(of: name)) }
    }
  }
}
