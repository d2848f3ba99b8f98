internal import ArgumentParser
internal import JSONText
internal import PolicyTools
internal import URLRules
internal import URLStandard

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
