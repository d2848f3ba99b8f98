package import GuardModel
internal import URLRules
package import URLStandard

/// Texts for people, by language: the policy's own words in place of the built-in English ones (ledger SL-16).
///
///     var texts = UserTexts()
///     texts.localized[de] = LanguageTexts(reasons: [.printBlocked: "Drucken ist hier nicht erlaubt."])
///     texts.words([de_AT]) { $0.reasons[.printBlocked] }?.text     // "Drucken ist hier nicht erlaubt."
///
/// A text that a language leaves out is taken from the next wider one (`de-AT`, then `de`), then from the next language
/// that the client named, then from `default`: each text for itself.
package struct UserTexts: Sendable, Hashable {
  /// The policy's texts for users whose languages it does not have.
  package var standard = LanguageTexts()
  package var localized: [LanguageTag: LanguageTexts] = [:]

  package init() {}

  /// The first text that there is for one of the languages, in their order; nil when the policy has none.
  package func words(_ languages: [LanguageTag], _ text: (LanguageTexts) -> String?) -> UserText? {
    if !localized.isEmpty {
      for language in languages {
        var next: LanguageTag? = language
        while let tag = next {
          if let found = localized[tag].flatMap(text) { return UserText(text: found, isLocalized: true) }
          next = tag.broader
        }
      }
    }
    return text(standard).map { UserText(text: $0, isLocalized: false) }
  }

  /// What a notice shows of the organisation, each value in the first language that has it; nil when the policy states
  /// nothing of it. Without `name` its name in a sentence stands in.
  package func organization(in languages: [LanguageTag]) -> Organization? {
    func first(_ text: (LanguageTexts) -> String?) -> String? { words(languages, text)?.text }
    let found = Organization(
      name: first(\.name) ?? first(\.organization), contact: first(\.contact), contactLink: first(\.contactLink),
      color: first(\.color), darkColor: first(\.darkColor))
    return found == Organization() ? nil : found
  }
}

/// A text, and whether it is in a language that the client named.
package struct UserText: Sendable, Hashable {
  package let text: String
  package let isLocalized: Bool
}

/// The texts of one language. A missing text comes from another language.
package struct LanguageTexts: Sendable, Hashable {
  /// The text that a toolkit may insert in place of a refused paste (ledger CB-08).
  package var replacement: String?
  /// The text that a notification shows in place of the organisation's data (ledger NT-02).
  package var notification: String?
  /// The name of the organisation in a sentence, in place of "your organization".
  package var organization: String?
  /// The person to ask, in a sentence: "the help desk (+43 1 234)".
  package var contact: String?
  /// The name of the organisation, standing alone: "Contoso AG".
  package var name: String?
  /// Where the person to ask is reached: an `https:`, `mailto:` or `tel:` URL.
  package var contactLink: String?
  /// The organisation's colour on a light page, `#rrggbb`, and on a dark one.
  package var color: String?
  package var darkColor: String?
  /// The text for the user, by reason.
  package var reasons: [Reason: String]

  package init(replacement: String? = nil, notification: String? = nil, reasons: [Reason: String] = [:]) {
    self.replacement = replacement
    self.notification = notification
    self.reasons = reasons
  }

  /// The built-in texts without a reason of their own.
  package static let builtIn = LanguageTexts(
    replacement: ClipboardSettings.standardReplacement, notification: "You have a new notification.")
}

/// The texts that explain a decision to people, in their language.
extension GuardState {
  /// Sets the languages that an instance's user reads, the preferred one first. Tags that are not BCP 47, and tags
  /// after the first eight, are ignored.
  ///
  ///     state.setLanguages(["de-AT", "en"], of: instance)
  package mutating func setLanguages(_ tags: [String], of id: InstanceID) {
    guard instance(id) != nil else { return }
    instances[id.place]?.languages = Array(tags.lazy.compactMap(LanguageTag.init).prefix(Self.maximumLanguages))
  }

  private static let maximumLanguages = 8

  /// Fills in the message and the text that replaces content; reports whether a placeholder was filled in.
  func describeTexts(
    _ ruling: borrowing Ruling, _ snapshot: Snapshot, for asker: InstanceID?, in report: inout DecisionReport
  ) {
    let decision = ruling.decision
    let languages = asker.flatMap { instance($0)?.languages } ?? []
    let ofCondition = conditionMessage(decision, snapshot, for: asker)
    let message = ofCondition ?? message(decision, snapshot, languages)
    let replacement = replacement(decision, snapshot, languages)
    report.isOfOneEvent = Self.hasPlaceholder(message) || Self.hasPlaceholder(replacement)
    guard message != nil || replacement != nil else { return }
    var values = values(for: ruling, snapshot, languages)
    if values.account.isEmpty || ofCondition != nil, let account = blockedAccount(decision, for: asker) {
      values.account = accounts.displayName(account)
    }
    report.message = message.map(values.filling)
    report.replacement = replacement.map(values.filling)
  }

  private static func hasPlaceholder(_ text: String?) -> Bool { text?.utf8.contains(UInt8(ascii: "{")) ?? false }

  /// The own message of the condition for which the account may not work; nil where it has none, or another one is at
  /// fault.
  private func conditionMessage(_ decision: Decision, _ snapshot: Snapshot, for asker: InstanceID?) -> String? {
    guard decision.outcome == .block, [.accountNotCompliant, .notChecked].contains(decision.reason), let asker,
      let account = blockedAccount(decision, for: asker)
    else { return nil }
    return decidingCondition(of: account, in: asker, snapshot)?.message
  }

  /// The account that may not work: the one that is shown, or the one that the program named and may not show.
  private func blockedAccount(_ decision: Decision, for asker: InstanceID?) -> AccountID? {
    if case .account(let account) = decision.identity { return account }
    return asker.flatMap { instance($0)?.refused }
  }

  /// The external rule's own message; else the policy's text for the reason; else the built-in one, if something does
  /// not happen. A page that opens elsewhere needs no built-in text.
  private func message(_ decision: Decision, _ snapshot: Snapshot, _ languages: [LanguageTag]) -> String? {
    let reason = decision.reason
    if decision.outcome != .allow, decision.verdict == .external, let ruleSet = decision.ruleSet,
      let rule = decision.rule, let message = snapshot.rule(rule, of: ruleSet).message
    {
      return message
    }
    switch decision.outcome {
    case .allow, .handOff, .redact: return nil
    case .redirect: return snapshot.texts.words(languages) { $0.reasons[reason] }?.text
    case .block, .warn, .switchIdentity:
      return snapshot.texts.words(languages) { $0.reasons[reason] }?.text ?? reason.userText(in: languages)
    }
  }

  /// The text that replaces a refused paste, a wrapped clip, or a notification's text. A protection's own replacement
  /// goes before the policy's texts in languages that the client did not name.
  private func replacement(_ decision: Decision, _ snapshot: Snapshot, _ languages: [LanguageTag]) -> String? {
    if decision.outcome == .redact {
      return snapshot.texts.words(languages, \.notification)?.text ?? LanguageTexts.builtIn.notification
    }
    if decision.flags[.mimeWrap] { return clipReplacement(decision, snapshot, languages) }
    switch decision.reason {
    case .orgData, .orgDataOverLimit, .incomingRestricted, .personalDataOverLimit, .ownerUnknown, .uploadBlockedViewer:
      return clipReplacement(decision, snapshot, languages)
    default: return nil
    }
  }

  private func clipReplacement(_ decision: Decision, _ snapshot: Snapshot, _ languages: [LanguageTag]) -> String? {
    let words = snapshot.texts.words(languages, \.replacement)
    let own = decision.protection.flatMap { snapshot[$0].clipboard.replacement }
    return words?.isLocalized == true ? words?.text : own ?? words?.text ?? LanguageTexts.builtIn.replacement
  }

  /// The text for a refusal that is no decision, in the user's language: an account that may not sign in.
  ///
  ///     state.text(for: .accountNotAllowed, account: "me@example.org", in: instance, snapshot)
  ///     // "com.contoso.portal accepts only accounts of your organization; you are me@example.org."
  package func text(
    for reason: Reason, account: String, in id: InstanceID, _ snapshot: Snapshot
  ) -> String? {
    let languages = instance(id)?.languages ?? []
    var values = TextValues(naming: snapshot.texts, languages)
    (values.app, values.account) = (instance(id)?.appName ?? "", account)
    return (snapshot.texts.words(languages) { $0.reasons[reason] }?.text ?? reason.userText(in: languages))
      .map(values.filling)
  }

  /// A message about the life of an account, in the user's language.
  ///
  ///     state.text(of: .wipeAnnounced, account: "anna@contoso.com", date: "2026-11-27", in: instance, snapshot)
  ///     // "On 2026-11-27 Contoso will remove the data of the account anna@contoso.com here. A mistake? Ask Eve."
  package func text(
    of notice: AccountNotice, account: String, date: String = "", in id: InstanceID, _ snapshot: Snapshot
  ) -> String {
    let (app, languages) = (instance(id)?.appName ?? "", instance(id)?.languages ?? [])
    return text(of: notice, account: account, app: app, date: date, languages, snapshot)
  }

  private func values(
    for ruling: borrowing Ruling, _ snapshot: Snapshot, _ languages: [LanguageTag]
  ) -> TextValues {
    let decision = ruling.decision
    var values = TextValues(naming: snapshot.texts, languages)
    if ruling.input.url.hasText {
      values.show(ruling.input.url.judged, asRead: ruling.input.url.asRead)
    }
    values.app = decision.app.map { snapshot[$0].name } ?? ""
    if case .account(let account) = decision.identity { values.account = accounts.displayName(account) }
    values.owner = decision.dataOwner.map { accounts.displayName($0) } ?? ""
    if case .account(let owner) = decision.clipOwner { values.owner = accounts.displayName(owner) }
    return values
  }
}

/// Values for the placeholders of a text for people.
///
/// The attack: a page names itself so that the sentence around it reads otherwise. Values are cut at `maximumScalars`,
/// lose characters that are invisible or change the direction of writing, and are never read for placeholders again.
package struct TextValues: Sendable {
  package var host = ""
  package var url = ""
  package var app = ""
  /// The account that the action counts as.
  package var account = ""
  /// The account that owns the data.
  package var owner = ""
  /// The organisation, and the person to ask, as a sentence has them.
  package var organization = ""
  package var contact = ""
  /// The time that a message about an account names.
  package var date = ""

  package init() {}

  /// The values that every text of a policy knows, in the user's language.
  package init(naming texts: UserTexts, _ languages: [LanguageTag]) {
    organization = texts.words(languages, \.organization)?.text ?? AccountNotice.organization(in: languages)
    contact = texts.words(languages, \.contact)?.text ?? AccountNotice.contact(in: languages)
  }

  /// The placeholders of texts, each as it is written.
  package enum Placeholder: String, Sendable, Hashable, CaseIterable {
    case host = "{host}"
    case url = "{url}"
    case app = "{app}"
    case account = "{account}"
    case owner = "{owner}"
    case organization = "{organization}"
    case contact = "{contact}"
    case date = "{date}"

    /// Whether a text for the reason may hold it: the value exists for every such answer.
    package func isKnown(for reason: Reason) -> Bool {
      switch self {
      case .app, .account, .organization, .contact: true
      // Only messages that are no answer to an event know one.
      case .date: false
      case .host, .url: reason.isAboutURL
      case .owner: reason.isAboutOwner
      }
    }
  }

  /// The text with its placeholders filled in; every other brace stays as it is.
  package func filling(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
    var result = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      result += rest[..<brace]
      rest = rest[brace...]
      if let placeholder = Placeholder.allCases.first(where: { rest.hasPrefix($0.rawValue) }) {
        result += Self.shown(value(of: placeholder))
        rest = rest.dropFirst(placeholder.rawValue.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  private func value(of placeholder: Placeholder) -> String {
    switch placeholder {
    case .host: host
    case .url: url
    case .app: app
    case .account: account
    case .owner: owner
    case .organization: organization
    case .contact: contact
    case .date: date
    }
  }

  /// Takes host and URL so that nobody takes the host for another: it is shown whole, and of one that is no name of DNS,
  /// since it is too long, the end with its domain. Names and passwords before the host are left out.
  ///
  ///     values.show(judged, asRead: asRead)    // of https://contoso.com%20…@evil.example/: host evil.example
  package mutating func show(_ judged: URLRecord, asRead: URLRecord) {
    host = Self.shownHost(judged.hostname)
    let behind = asRead.text(asRead.hostRange.upperBound..<asRead.bytes.count)
    url = asRead.hostname.isEmpty ? asRead.href : asRead.protocol + "//" + Self.shownHost(asRead.hostname) + behind
  }

  private static func shownHost(_ host: String) -> String {
    host.utf8.count <= longestHost ? host : "…" + host.suffix(longestHost)
  }

  /// The longest name of DNS.
  private static let longestHost = 253

  private static func shown(_ value: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in value.unicodeScalars where !scalar.isInvisible {
      guard shown.count < maximumScalars else { return String(shown) + "…" }
      shown.append(scalar)
    }
    return String(shown)
  }

  /// Most Unicode scalars of one value; a URL may be of two million.
  package static let maximumScalars = 500
}
