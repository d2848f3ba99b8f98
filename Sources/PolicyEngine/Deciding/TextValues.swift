package import GuardModel

/// What stands for the placeholders of a text for people.
///
/// The attack: a page names itself so that the sentence around it reads otherwise. Values are cut at `maximumScalars`,
/// lose what is invisible or changes the direction of writing, and are never read for placeholders again.
package struct TextValues: Sendable {
  package var host = ""
  package var url = ""
  package var app = ""
  /// The account that the action counts as.
  package var account = ""
  /// The account whose data it is.
  package var owner = ""

  package init() {}

  /// The placeholders of texts, each as it is written.
  package enum Placeholder: String, Sendable, Hashable, CaseIterable {
    case host = "{host}"
    case url = "{url}"
    case app = "{app}"
    case account = "{account}"
    case owner = "{owner}"

    /// Whether a text for the reason may hold it: a value is there whenever this is answered.
    package func isKnown(for reason: Reason) -> Bool {
      switch self {
      case .app, .account: true
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
    }
  }

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
