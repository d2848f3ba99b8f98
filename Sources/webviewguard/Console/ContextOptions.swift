internal import ArgumentParser
internal import PolicyTools
internal import URLRules

/// The known facts besides the URL, for verbs that ask rule sets: `classify` and `diff`.
struct ContextOptions: ParsableArguments {
  @Option(help: "The URL of the document that the viewer shows.")
  var document: String?

  @Option(help: "The URL of the page or hop that led to the URL.")
  var from: String?

  @Flag(inversion: .prefixedNo, help: "Whether the URL is a server redirect.")
  var hop: Bool?

  @Option(name: .customLong("for"), help: "What the URL is wanted for.")
  var purpose = Purpose.page

  @OptionGroup var moment: TimeOptions

  /// The words of `for:` in a rule file.
  enum Purpose: String, ExpressibleByArgument, CaseIterable {
    case page
    case frame
    case resource
    case download
    case upload
    case paste

    fileprivate var purposes: Purposes {
      switch self {
      case .page: .page
      case .frame: .frame
      case .resource: .resource
      case .download: .download
      case .upload: .upload
      case .paste: .paste
      }
    }
  }

  /// At least one fact was stated.
  var isStated: Bool { document != nil || from != nil || hop != nil || purpose != .page }

  /// All facts, still without a URL.
  var question: RuleQuestion {
    RuleQuestion(url: "", document: document, from: from, hop: hop, purpose: purpose.purposes)
  }

  /// The same facts as input for the rules.
  var input: MatchInput { MatchInput(document: document, from: from, hop: hop, purposes: purpose.purposes) }

  /// The time for asking the rules, in seconds since 1970.
  var time: Int64 { get throws { try moment.seconds } }
}
