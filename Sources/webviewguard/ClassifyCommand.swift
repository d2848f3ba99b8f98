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
    var lines = ClassifyLines(
      classifier: Classifier(
        try RuleFiles.load(rules), document: document, from: from, hop: hop, purposes: purpose.purposes),
      format: options.format)
    for url in urls {
      if url == "-" { try lines.writeInput() } else { try lines.write(url.utf8.span) }
    }
    try lines.output.flush()
  }
}

/// Writes a line for each URL.
///
/// Apart from the command, whose options are looked up anew, and slowly, each time that one is read.
private struct ClassifyLines {
  var classifier: Classifier
  let format: OutputFormat
  let output = Output()

  mutating func writeInput() throws(CommandFailure) {
    var input = LineInput()
    while let line = try input.next(beforeWaiting: output.flush) { try write(input.bytes(line)) }
  }

  mutating func write(_ url: borrowing Span<UInt8>) throws(CommandFailure) {
    classifier.classify(url)
    switch format {
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
