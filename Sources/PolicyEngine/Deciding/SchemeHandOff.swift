internal import Bytes
internal import GuardModel
internal import URLRules
internal import URLStandard

/// The app itself opens a URL in another program. Links and web transfer work as in an external navigation, with
/// leaving in place of loading; other schemes work as in E.4.
extension GuardState {
  mutating func openURL(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    guard question.isManaged || question.rulesAlwaysApply else {
      return question.answer(.allow, question.unrestrictedReason)
    }
    readInput(event, question, of: id)
    guard input.url.kind == .url else { return question.answer(.block, .invalidURL) }
    guard input.url.judged.isWeb else {
      if question.handlesScheme(of: input.url) { return question.answer(.allow, .handledInViewer) }
      return question.handOff(input.url)
    }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    let leaving = RuleVerdict(verdict: .external, rule: nil, then: .none)
    let rules = verdict(question) ?? AskedRules(ruleSet: nil, verdict: leaving)
    var decision = external(event, question, rules)
    if decision.reason == .externalInPlace { decision = question.answer(.handOff, .webTransferAny).to(.schemeHandler) }
    return decision.decided(by: rules)
  }
}

/// May a URL of another scheme leave for the program that opens it? Ledger E.4, in its order. If rules apply always and
/// no account is signed in, the strictest protection decides here as it does for external pages.
extension Question {
  func handOff(_ subject: borrowing URLSubject) -> Decision {
    guard let send = snapshot.strictest(of: inForce, { $0.send }) else { return leave(unrestrictedReason) }
    if send.value == .any { return leave(.sendAny, by: send.protection) }
    if let schemeClass = SchemeClass(of: subject) { return handOff(subject, schemeClass) }
    let blocked: Reason = subject.hasScheme(in: SchemeClasses.stores) ? .storeLinkBlocked : .handOffBlocked
    guard send.value.isManaged else { return answer(.block, blocked, by: send.protection) }
    let refusing = snapshot.first(of: inForce) { $0.keeps(subject) }
    if let refusing { return answer(.block, blocked, by: refusing) }
    let managing = snapshot.first(of: inForce) { $0.send != .any && !subject.hasScheme(in: $0.exemptSchemes) }
    return managing.map { leave(.managedScheme, by: $0) } ?? leave(.exemptScheme, by: send.protection)
  }

  /// If two protections each name a program of their own, a link may go to neither.
  private func handOff(_ subject: borrowing URLSubject, _ schemeClass: SchemeClass) -> Decision {
    guard let asked = snapshot.strictest(of: inForce, { $0.setting(inForceFor: schemeClass) }) else {
      return leave(unrestrictedReason)
    }
    switch asked.value {
    case .any:
      return refusalOfContent(subject, schemeClass, nil) ?? leave(.schemeClassAllowed, by: asked.protection)
    case .none: return answer(.block, .schemeClassBlocked, by: asked.protection)
    case .program(let program):
      if let other = secondProgram(for: schemeClass) { return answer(.block, .schemeClassBlocked, by: other) }
      if let refusal = refusalOfContent(subject, schemeClass, program) { return refusal }
      return answer(.handOff, .schemeClassAllowed, by: asked.protection).to(.schemeClassProgram(schemeClass))
    }
  }

  /// The second protection, in the order of the policy, that names another program than the first does. Enforced and
  /// monitoring protections count alike, so that the advice is the same as if all were enforced.
  private func secondProgram(for schemeClass: SchemeClass) -> ProtectionIndex? {
    let named = { (index: ProtectionIndex) in snapshot[index].setting(inForceFor: schemeClass) }
    guard let first = inForce.first(where: { named($0) != .any }) else { return nil }
    return inForce.first { named($0) != .any && named($0) != named(first) }
  }

  /// A message with content is data for the receiving program: that is judged as sharing with it (ledger US-08). A
  /// program that the policy names counts for the account of the data's owner, since no other source says for whom it
  /// is.
  ///
  /// Each protection judges by the program that it names itself. A protection that names none shares with whatever the
  /// desktop has, and no other protection can allow that in its place.
  ///
  /// - Parameter handler: the program that opens it; nil is the desktop's choice.
  private func refusalOfContent(
    _ subject: borrowing URLSubject, _ schemeClass: SchemeClass, _ handler: Program?
  ) -> Decision? {
    guard schemeClass == .messaging, subject.carriesContent else { return nil }
    if let shut = snapshot.first(of: inForce, where: { $0.send == .none }) {
      return answer(.block, .outgoingDisallowed, by: shut)
    }
    let name = handler?.desktopID.map { Array($0.utf8) }
    let isApp = handler?.desktopID.map { snapshot.app(named: $0) != nil } ?? false
    let keeping = snapshot.first(of: inForce) { protection in
      guard protection.keeps(subject) else { return false }
      let isManaged = isApp || name.map { protection.managedApps.contains($0) } ?? false
      return protection.setting(inForceFor: schemeClass) == .any || !isManaged
    }
    return keeping.map { index in
      let namesNone = snapshot[index].setting(inForceFor: schemeClass) == .any
      return answer(.block, namesNone ? .shareBlocked : .outgoingRestricted, by: index)
    }
  }

  private func leave(_ reason: Reason, by protection: ProtectionIndex? = nil) -> Decision {
    answer(.handOff, reason, by: protection).to(.schemeHandler)
  }
}

extension Protection {
  /// Its lists let no URL of this scheme leave.
  fileprivate func keeps(_ subject: borrowing URLSubject) -> Bool {
    send != .any && !subject.hasScheme(in: exemptSchemes) && !subject.hasScheme(in: managedSchemes)
  }

  /// The permission for schemes of a class: they are asked about only where not everything may be sent.
  func setting(inForceFor schemeClass: SchemeClass) -> SchemeClassSetting { send == .any ? .any : self[schemeClass] }
}

extension Protection {
  /// The separate setting for schemes of telecommunication and messaging (ledger US-06, US-07).
  subscript(schemeClass: SchemeClass) -> SchemeClassSetting {
    schemeClass == .telecommunication ? telecommunication : messaging
  }
}

extension SchemeClass {
  fileprivate init?(of subject: borrowing URLSubject) {
    if subject.hasScheme(in: SchemeClasses.telecommunication) {
      self = .telecommunication
    } else if subject.hasScheme(in: SchemeClasses.messaging) {
      self = .messaging
    } else {
      return nil
    }
  }
}

/// The schemes of each class.
package enum SchemeClasses {
  package static let telecommunication = ["tel", "telprompt", "callto", "sip", "sips"].map { Array($0.utf8) }
  package static let messaging = ["sms", "smsto", "mailto", "xmpp", "im"].map { Array($0.utf8) }
  /// The parts of a message link that concern its way and not its content.
  static let addressing = ["to", "cc", "bcc", "phone-context", "ext", "type", "node", "request"].map { Array($0.utf8) }
  /// Stores of programs: the person is to be told of the organisation's own (ledger US-09).
  package static let stores = ["appstream", "apt", "snap", "flatpak", "flatpak+https"].map { Array($0.utf8) }
}

extension URLSubject {
  /// Whether a message link has content: a subject, a body, an attachment (ledger US-08).
  ///
  ///     mailto:ada@contoso.com?cc=bob@contoso.com        no
  ///     mailto:ada@contoso.com?subject=Plan              yes
  ///     sms:+15551234;body=Plan, smsto:+15551234:Plan    yes
  ///
  /// Trap: programs disagree on how such a link is taken apart. Therefore `?`, `&` and `;` all begin a part, and every
  /// name counts as content except those that say to whom it goes, or how.
  var carriesContent: Bool {
    if !isJudgedAsCreator, let fragment = asRead.fragmentRange, !fragment.isEmpty { return true }
    let text = judged.bytes.span.extracting((judged.schemeRange.upperBound + 1)...)
    var start = 0
    for end in 0...text.count {
      if end < text.count, !Self.beginsPart(text[end]) { continue }
      if isContent(text.extracting(start..<end), isFirst: start == 0) { return true }
      start = end + 1
    }
    return false
  }

  private static func beginsPart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: ";")
  }

  /// The first part is the recipient.
  private func isContent(_ part: Span<UInt8>, isFirst: Bool) -> Bool {
    if Self.holdsLineBreak(part) { return true }
    if isFirst {
      guard hasScheme(in: [Array("smsto".utf8)]) else { return false }
      let colon = part.indices.first { part[$0] == UInt8(ascii: ":") }
      return colon.map { $0 + 1 < part.count } ?? false
    }
    guard let equals = part.indices.first(where: { part[$0] == UInt8(ascii: "=") }), equals + 1 < part.count else {
      return false
    }
    let name = part.extracting(..<equals)
    for known in SchemeClasses.addressing where name.matches(ignoringCase: known.span) { return false }
    return true
  }

  /// `%0A` and `%0D`, which can start a header in the middle of an address.
  private static func holdsLineBreak(_ part: Span<UInt8>) -> Bool {
    guard part.count >= 3 else { return false }
    for index in 0...(part.count - 3) where part[index] == UInt8(ascii: "%") && part[index + 1] == UInt8(ascii: "0") {
      let digit = part[index + 2] | 0x20
      if digit == UInt8(ascii: "a") || digit == UInt8(ascii: "d") { return true }
    }
    return false
  }

  /// Whether the judged URL's scheme is in the list.
  func hasScheme(in schemes: [[UInt8]]) -> Bool {
    let scheme = judged.bytes.span.extracting(judged.schemeRange)
    for candidate in schemes where candidate.span.matches(scheme) { return true }
    return false
  }
}
