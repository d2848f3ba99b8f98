internal import Bytes
internal import GuardModel
internal import PolicyEngine
internal import URLStandard

/// The texts of one language, as a file states them.
struct TextsDraft: Sendable {
  /// The language's tag, or `default`.
  var name: Located<String>
  /// Nil for `default`, and for a tag that could not be read.
  var tag: LanguageTag?
  var texts = LanguageTexts()
}

extension PolicyFileReader {
  /// The value of `texts`: languages by their tags, and `default`.
  var texts: YAMLDecoder<[TextsDraft]> {
    .entries { name in
      YAMLDecoder("a mapping") { node, diagnostics in
        var draft = TextsDraft(name: name, tag: LanguageTag(name.value))
        let texts = node.decode(.mapping { reader in languageTexts(&reader) }, into: &diagnostics)
        guard draft.tag != nil || name.value == LanguageTag.reserved else {
          diagnostics.notALanguage(name)
          return nil
        }
        guard let texts else { return nil }
        draft.texts = texts
        return draft
      }
    }
  }

  private func languageTexts(_ reader: inout MappingReader) -> LanguageTexts {
    // Content is replaced by them, wherever that is: they may hold no data of the organisation.
    let standIn = Self.text { $0 == .app ? nil : "a text that stands in for content names the app only" }
    var texts = LanguageTexts()
    texts.replacement = reader.optional("replacement", standIn)
    texts.notification = reader.optional("notification", standIn)
    let name = Self.text { _ in "it goes into other texts" }
    texts.organization = reader.optional("organization", name)
    texts.contact = reader.optional("contact", name)
    texts.name = reader.optional("name", name)
    texts.contactLink = reader.optional("contactLink", Self.contactLink)
    texts.color = reader.optional("color", Self.color)
    texts.darkColor = reader.optional("darkColor", Self.color)
    texts.reasons = reader.value("reasons", reasons, default: [:])
    return texts
  }

  /// A link that no notice can take for a script: `https:`, `mailto:` or `tel:`, without spaces.
  private static var contactLink: YAMLDecoder<String> {
    checked("is no link to reach a person by", hint: "write an address with `https://`, `mailto:` or `tel:` in front") {
      text in
      let starts = ["https://", "mailto:", "tel:"]
      return starts.contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
        && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } && URLRecord(text) != nil
    }
  }

  private static var color: YAMLDecoder<String> {
    checked("is no colour", hint: "write `\"#rrggbb\"`, such as `\"#0f6cbd\"`") { text in
      let digits = text.utf8.dropFirst()
      return text.utf8.first == UInt8(ascii: "#") && digits.count == 6 && digits.allSatisfy { $0.hexDigitValue != nil }
    }
  }

  /// A text of a form that notices rely on.
  private static func checked(
    _ problem: String, hint: String, _ isRight: @escaping (String) -> Bool
  ) -> YAMLDecoder<String> {
    YAMLDecoder("a string") { node, diagnostics in
      guard let text = node.decode(text { _ in "nothing is filled in here" }, into: &diagnostics) else { return nil }
      guard isRight(text) else {
        diagnostics.error(.invalidText, at: node.location, "\(text.quoted) \(problem)", hint: hint)
        return nil
      }
      return text
    }
  }

  private var reasons: YAMLDecoder<[Reason: String]> {
    let told = Reason.allCases.filter { $0.userText != nil }
    let texts = YAMLDecoder.entries { name in
      YAMLDecoder<(Reason, String)>("a string") { node, diagnostics in
        guard let reason = told.first(where: { $0.rawValue == name.value }) else {
          diagnostics.notTold(name, among: told)
          return nil
        }
        let text = Self.text { placeholder in
          placeholder.isKnown(for: reason) ? nil : "nothing is known of it where \(name.value.quoted) is answered"
        }
        return node.decode(text, into: &diagnostics).map { (reason, $0) }
      }
    }
    return .converting(texts) { Dictionary($0) { first, _ in first } }
  }

  /// A text for people; `problem` says why it may not hold a placeholder.
  static func text(_ problem: @escaping (TextValues.Placeholder) -> String?) -> YAMLDecoder<String> {
    YAMLDecoder("a string") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard text.unicodeScalars.count <= maximumTextScalars else {
        diagnostics.error(
          .outOfRange, at: node.location,
          "the text is of \(text.unicodeScalars.count) characters, and may be of \(maximumTextScalars)")
        return nil
      }
      guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
        diagnostics.error(
          .invalidText, at: node.location, "the text holds a line break or another control character",
          hint: "write it in one line")
        return nil
      }
      diagnostics.warnOfUnseen(in: text, at: node.location)
      let wrong = placeholders(in: text).filter { !diagnostics.check($0, at: node.location, problem) }
      return wrong.isEmpty ? text : nil
    }
  }

  /// The apparent placeholders: `{host}`, `{hots}`. Other braces are only braces.
  private static func placeholders(in text: String) -> [String] {
    text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      guard let end = part.firstIndex(of: "}") else { return nil }
      let name = part[..<end]
      return !name.isEmpty && name.allSatisfy { $0.isASCII && $0.isLetter } ? "{\(name)}" : nil
    }
  }

  /// Most Unicode scalars of a text.
  static let maximumTextScalars = 500
}

extension Diagnostics {
  fileprivate mutating func notALanguage(_ name: Located<String>) {
    let dashed = name.value.replacing("_", with: "-")
    let hint = LanguageTag(dashed) == nil ? "write a BCP 47 tag, such as `de` or `de-AT`" : "write \(dashed.quoted)"
    error(
      .invalidLanguage, at: name.location,
      "\(name.value.quoted) is neither a language nor \(LanguageTag.reserved.quoted)",
      hint: hint)
  }

  fileprivate mutating func notTold(_ name: Located<String>, among told: [Reason]) {
    guard Reason(rawValue: name.value) == nil else {
      error(
        .unknownReason, at: name.location, "nobody is told of \(name.value.quoted): nothing is refused for it",
        hint: "remove it")
      return
    }
    let nearest = Suggestion.nearest(to: name.value, among: told.map(\.rawValue))
    error(
      .unknownReason, at: name.location, "\(name.value.quoted) is not a reason",
      hint: nearest.map { "did you mean \($0.quoted)?" } ?? "`docs/configuration.md` lists them")
  }

  /// Whether a placeholder may stand there; reported when it may not.
  fileprivate mutating func check(
    _ text: String, at location: SourceLocation, _ problem: (TextValues.Placeholder) -> String?
  ) -> Bool {
    let known = TextValues.Placeholder.allCases
    guard let placeholder = TextValues.Placeholder(rawValue: text) else {
      let allowed = known.filter { problem($0) == nil }.map(\.rawValue)
      error(
        .unknownPlaceholder, at: location, "\(text.quoted) is not a placeholder",
        hint: "known here: \(allowed.quotedList)")
      return false
    }
    guard let problem = problem(placeholder) else { return true }
    error(.unknownPlaceholder, at: location, "\(text.quoted) may not stand here: \(problem)", hint: "remove it")
    return false
  }
}
