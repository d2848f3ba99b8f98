package import GuardModel

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
