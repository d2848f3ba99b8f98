internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// Questions that differ from one in a single thing that people overlook, or that attackers try.
///
///     https://mail.contoso.com/a   ->   https://contoso.com/a, https://mail.contoso.com@evil.example/a, …
struct QuestionNeighbours {
  struct Neighbour: Hashable {
    var change: String
    var question: RuleQuestion
  }

  private(set) var all: [Neighbour] = []
  private let question: RuleQuestion
  private let url: NeighbourURL
  private var seen: Set<RuleQuestion>

  /// The URL has a host, and is not judged as something else than it is written.
  static func hasParts(_ question: RuleQuestion) -> Bool { NeighbourURL(question.url) != nil }

  init(of question: RuleQuestion) {
    self.question = question
    seen = [question]
    guard let url = NeighbourURL(question.url) else {
      self.url = NeighbourURL()
      addContext()
      return
    }
    self.url = url
    addHosts()
    addTricks()
    addOrigins()
    addPaths()
    addContext()
  }

  /// Each text once, and never that of the question itself.
  private mutating func add(_ change: String, _ edit: (inout RuleQuestion) -> Void) {
    var changed = question
    edit(&changed)
    if seen.insert(changed).inserted { all.append(Neighbour(change: change, question: changed)) }
  }

  private mutating func add(_ change: String, _ text: String?) {
    if let text { add(change) { $0.url = text } }
  }

  private mutating func addHosts() {
    add("upper case in the host", url.with(host: url.host.uppercased()))
    add("a dot behind the host", url.with(host: url.host + "."))
    if url.isName {
      add("sub-domain", url.with(host: "www." + url.host))
      add("parent domain", url.parent.map(url.with(host:)))
      add("longer name", url.with(host: "evil" + url.host))
      add("longer domain", url.with(host: "evil" + url.lastLabels))
      add("two dots behind the host", url.with(host: url.host + ".."))
      add("look-alike letter", url.lookAlike.map(url.with(host:)))
      add("look-alike digit", url.digitTwin.map(url.with(host:)))
    }
    add("as the beginning of another name", url.with(host: url.host + ".evil.example"))
    add("address as one number", url.number.map(url.with(host:)))
    add("address mapped to IPv6", url.mapped.map(url.with(host:)))
  }

  private mutating func addTricks() {
    add("user name", url.with(host: "user@" + url.host))
    add("as a user name", url.with(host: url.host + "@evil.example"))
    add("`\\` and `@` behind the host", url.with(host: url.host + "\\@evil.example"))
    add("`\\` before the host", url.with(host: "evil.example\\." + url.host))
    add("as the path of another host", url.with(host: "evil.example/" + url.host))
  }

  private mutating func addOrigins() {
    for scheme in ["https", "http", "ftp"] { add("scheme `\(scheme)`", url.with(scheme: scheme)) }
    add(url.port.isEmpty ? "port 8443" : "without the port", url.with(port: url.port.isEmpty ? ":8443" : ""))
  }

  private mutating func addPaths() {
    let path = url.path
    add("upper case in the path", url.with(path: path.uppercased()))
    add("slash at the end", url.with(path: path.hasSuffix("/") ? String(path.dropLast()) : path + "/"))
    add("doubled slash", url.with(path: "/" + path))
    add("encoded slash", url.with(path: url.encodedSlash))
    add("encoded letter", url.encodedLetter.map(url.with(path:)))
    add("`\\` for `/`", url.with(path: String(path.map { $0 == "/" ? "\\" : $0 })))
    add("a step up again", url.with(path: "/x/.." + path))
    add("an encoded step up again", url.with(path: "/x/%2e%2e" + path))
    add("only the host", url.only(path: "/"))
    add("another path", url.only(path: "/x"))
    add("query", url.with(query: url.query.isEmpty ? "?x=1" : url.query + "&x=1"))
    if !url.query.isEmpty { add("without the query", url.with(query: "")) }
    add("fragment", url.with(query: url.query + "#x"))
  }

  private mutating func addContext() {
    if question.from != nil {
      add("from a page that is not known") { $0.from = nil }
      add("from another page") { $0.from = "https://evil.example/" }
    }
    if question.document != nil { add("without a document") { $0.document = nil } }
    let isHop = question.hop == true
    add(isHop ? "without a redirect" : "as a redirect") { $0.hop = !isHop }
  }
}
