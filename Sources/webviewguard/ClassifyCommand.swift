internal import ArgumentParser
internal import GuardModel
internal import JSONText
internal import PolicyFiles
internal import URLRules

/// `classify`: what a rule set says of URLs.
struct ClassifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify", abstract: "Say of URLs whether a rule set calls them internal or external.",
    discussion: """
      Prints one line for each URL: verdict, rule and URL as given, with tabs between them. The rule is `default` when \
      none matched, and `invalidURL` for what no browser would open. What is not given is unknown: a rule that asks \
      for it matches when it says external, and does not when it says internal.
      """)

  @Option(help: "The rule file.", completion: .file(extensions: ["yaml"]))
  var rules: String

  @Option(help: "The URL of the document that the viewer shows.")
  var document: String?

  @Option(help: "The URL of the page or hop that led to the URL.")
  var from: String?

  @Flag(inversion: .prefixedNo, help: "Whether the URL is a server redirect.")
  var hop: Bool?

  @Option(name: .customLong("for"), help: "What the URL is wanted for.")
  var purpose = Purpose.page

  @OptionGroup var options: FormatOptions

  @Argument(help: "The URLs; `-` reads them from standard input, one a line.")
  var urls: [String]

  /// The words of `for:` in a rule file.
  enum Purpose: String, ExpressibleByArgument, CaseIterable {
    case page
    case frame
    case resource
    case download
    case upload

    fileprivate var purposes: Purposes {
      switch self {
      case .page: .page
      case .frame: .frame
      case .resource: .resource
      case .download: .download
      case .upload: .upload
      }
    }
  }

  func run() throws {
    let output = Output()
    var classifier = Classifier(
      try RuleFiles.load(rules), document: document, from: from, hop: hop, purposes: purpose.purposes)
    for url in urls {
      if url == "-" {
        try classifyInput(&classifier, output)
      } else {
        try classify(url.utf8.span, &classifier, output)
      }
    }
    try output.flush()
  }

  private func classifyInput(_ classifier: inout Classifier, _ output: Output) throws {
    var input = LineInput()
    while let line = try input.next(beforeWaiting: output.flush) {
      try classify(input.bytes(line), &classifier, output)
    }
  }

  private func classify(
    _ url: borrowing Span<UInt8>, _ classifier: inout Classifier, _ output: Output
  ) throws(CommandFailure) {
    classifier.classify(url)
    switch options.format {
    case .json: output.append(classifier.json(of: url))
    case .text:
      classifier.appendLine(to: output)
      if output.isTerminal {
        output.append(url.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self).escapedForDisplay })
      } else {
        output.append(url)
      }
    }
    try output.endLine()
  }
}
