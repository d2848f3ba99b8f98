internal import ArgumentParser
internal import GuardModel
internal import JSONText
internal import PolicyFiles
internal import PolicyTools
internal import URLRules
internal import URLStandard

/// `classify`: the verdicts of a rule set on URLs.
struct ClassifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify", abstract: "Say of URLs whether a rule set calls them internal or external.",
    discussion: """
      Prints one line for each URL: verdict, rule and URL as given, with tabs between them. The rule is `default` when \
      none matched, and `invalidURL` for what no browser would open. What is not given is unknown: a rule that asks \
      for it matches when it says external, and does not when it says internal. With --explain, lines that are set in \
      follow: how the URL was read, the rules that came near and what they lack, the one that answers, and the nearest \
      change that would flip the answer.
      """)

  @Option(help: "The rule file.", completion: .file(extensions: ["yaml"]))
  var rules: String

  @OptionGroup var context: ContextOptions

  @Flag(help: "Say why, and what would flip the answer.")
  var explain = false

  @OptionGroup var options: FormatOptions

  @Argument(help: "The URLs; `-` reads them from standard input, one a line.")
  var urls: [String]

  func run() throws {
    let loaded = try RuleFiles.loadWithLists(rules)
    var lines = ClassifyLines(
      classifier: Classifier(loaded.ruleSet.at(try context.time), context.question, ListLineSearch(loaded.lists)),
      format: options.format, explains: explain)
    for url in urls {
      if url == "-" { try lines.writeInput() } else { try lines.write(url.utf8.span) }
    }
    try lines.output.flush()
  }
}

/// Writes a line for each URL.
///
/// It is separate from the command, whose options are looked up again, and slowly, at each reading.
private struct ClassifyLines {
  var classifier: Classifier
  let format: OutputFormat
  let explains: Bool
  let output = Output()

  mutating func writeInput() throws(CommandFailure) {
    var input = LineInput()
    while let line = try input.next(beforeWaiting: output.flush) { try write(input.bytes(line)) }
  }

  mutating func write(_ url: borrowing Span<UInt8>) throws(CommandFailure) {
    classifier.classify(url)
    let explained = explains ? classifier.explain(url) : nil
    switch format {
    case .json: output.append(classifier.json(of: url, explained))
    case .text:
      classifier.appendLine(to: output)
      output.append(url.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self).escapedForDisplay })
      for line in explained?.lines ?? [] {
        try output.endLine()
        output.append("  " + line.escapedForDisplay)
      }
    }
    try output.endLine()
  }
}

/// `url`: URLs as a browser reads them.
struct URLCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "url", abstract: "Show how a browser reads URLs.",
    discussion: """
      Prints one JSON object a line, with the members that the URL API of the web has, and with `valid` and `site`. \
      What is no URL is {"valid":false,"input":...}. `site` is the registrable domain of the host, or null.
      """)

  @Option(help: "The URL that relative ones are resolved against.")
  var base: String?

  @Argument(help: "The URLs; `-` reads them from standard input, one a line.")
  var urls: [String]

  func run() throws {
    let output = Output()
    var reader = URLLineReader(base: try base.map(Self.record))
    for url in urls {
      if url == "-" {
        var input = LineInput()
        while let line = try input.next(beforeWaiting: output.flush) {
          try reader.write(input.bytes(line), to: output)
        }
      } else {
        try reader.write(url.utf8.span, to: output)
      }
    }
    try output.flush()
  }

  private static func record(of base: String) throws(CommandFailure) -> URLRecord {
    guard let record = URLRecord(base) else { throw CommandFailure("the base is no URL") }
    return record
  }
}

/// Reads one URL after the other and writes each as a JSON object.
private struct URLLineReader: ~Copyable {
  private let base: URLRecord
  private var record = URLRecord()
  private var parser = URLParser()
  private var writer = JSONWriter()
  private let suffixes = PublicSuffixes()

  /// Nil means no base.
  init(base: URLRecord?) { self.base = base ?? URLRecord() }

  mutating func write(_ url: borrowing Span<UInt8>, to output: Output) throws(CommandFailure) {
    writer.reset()
    writer.beginObject()
    if parser.parse(copy url, base: base, into: &record) == .valid {
      writeMembers()
    } else {
      writer.member("valid", false)
      writer.member("input", copy url)
    }
    writer.endObject()
    output.append(json: writer.span)
    try output.endLine()
  }

  private mutating func writeMembers() {
    writer.member("href", record.href)
    writer.member("origin", record.origin)
    writer.member("protocol", record.protocol)
    writer.member("username", record.username)
    writer.member("password", record.password)
    writer.member("host", record.host)
    writer.member("hostname", record.hostname)
    writer.member("port", record.port)
    writer.member("pathname", record.pathname)
    writer.member("search", record.search)
    writer.member("hash", record.hash)
    writer.member("valid", true)
    writer.key("site")
    if let site = suffixes.site(of: record) { writer.value(site) } else { writer.null() }
  }
}
