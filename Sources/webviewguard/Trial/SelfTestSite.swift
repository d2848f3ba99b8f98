/// The site of a self-test: pages that go every way out, and a log of what arrived.
///
///     /way/link/2      goes the way `link` to 127.0.0.2
///     /stay/3          goes all ways that stay in their page to 127.0.0.3
///     /arrived/link    what a way leads to; which host answers it says where it arrived
///     /done/7          a page of the seventh run has gone its ways
struct SelfTestSite {
  struct Arrival: Hashable {
    let way: String
    let host: SelfTestHost
  }

  let port: UInt16
  private(set) var arrivals: Set<Arrival> = []
  /// The ways whose page was loaded: nothing is known of another, not even that it was stopped.
  private(set) var loads: Set<Arrival> = []
  /// The hosts to which all ways that stay in their page were gone, by the word of its script.
  private(set) var finished: Set<SelfTestHost> = []
  /// The page of this run has said that it is done.
  private(set) var isDone = false
  /// Pages of earlier runs may still speak: those of programs that outlive their end.
  private var run = 0
  private var goal: SelfTestHost?
  /// Requests of whatever kind.
  private(set) var requests = 0

  init(port: UInt16) { self.port = port }

  /// - Parameter goal: where all ways that stay lead to in this run; nil for a run of one way.
  mutating func beginRun(to goal: SelfTestHost?) {
    isDone = false
    run += 1
    self.goal = goal
  }

  func url(_ host: SelfTestHost, _ path: String) -> String { "http://\(host.address):\(port)\(path)" }

  /// Answers what lies in a connection's input as soon as it is a whole head of a request.
  mutating func serve(_ connection: TrialConnection) {
    guard case .web(let number) = connection.door, let host = SelfTestHost(rawValue: number),
      let head = String(validating: connection.input, as: UTF8.self)?.split(separator: "\r\n\r\n", maxSplits: 1).first,
      connection.input.contains(subsequence: Array("\r\n\r\n".utf8))
    else { return }
    connection.input = []
    let words = head.split(separator: "\r\n").first?.split(separator: " ") ?? []
    guard words.count >= 2 else { return connection.isEnding = true }
    requests += 1
    connection.output += Array(answer(String(words[1]), at: host).utf8)
    connection.isEnding = true
  }

  private mutating func answer(_ target: String, at host: SelfTestHost) -> String {
    let path = target.split(separator: "?", maxSplits: 1).first.map(String.init) ?? target
    let parts = path.split(separator: "/").map(String.init)
    switch (parts.first, parts.dropFirst().first, parts.dropFirst(2).first.flatMap(UInt8.init)) {
    case ("done", let number?, _):
      isDone = isDone || number == String(run)
      if isDone, let goal { finished.insert(goal) }
      return Self.response("204 No Content", "", "")
    case ("arrived", let way?, _):
      arrivals.insert(Arrival(way: way, host: host))
      return Self.response("200 OK", "text/html", "<!doctype html><title>arrived</title>arrived")
    case ("file", let way?, _):
      arrivals.insert(Arrival(way: way, host: host))
      return Self.response("200 OK", "application/octet-stream", "data", more: "Content-Disposition: attachment\r\n")
    case ("hop", let way?, let number?):
      let to = SelfTestHost(rawValue: number) ?? .own
      let status = way.hasSuffix("307") ? "307 Temporary Redirect" : "302 Found"
      return Self.response(status, "text/html", "", more: "Location: \(url(to, "/arrived/\(way)"))\r\n")
    case ("way", let name?, let number?): return load(SelfTestWay.all.filter { $0.name == name }, number)
    case ("stay", let number?, _): return load(SelfTestWay.all.filter(\.stays), UInt8(number) ?? 1)
    default: return Self.response("404 Not Found", "text/plain", "nothing is here")
    }
  }

  private mutating func load(_ ways: [SelfTestWay], _ number: UInt8) -> String {
    for way in ways { loads.insert(Arrival(way: way.name, host: SelfTestHost(rawValue: number) ?? .own)) }
    return page(ways, number)
  }

  /// A page that goes some ways to one host, and says that it is done a moment later.
  private func page(_ ways: [SelfTestWay], _ number: UInt8) -> String {
    let host = SelfTestHost(rawValue: number) ?? .own
    let bodies = ways.map { way in
      way.body.replacing("{to}", with: url(host, "/arrived/\(way.name)"))
        .replacing("{ws}", with: "ws://\(host.address):\(port)/arrived/\(way.name)")
        .replacing("{file}", with: url(host, "/file/\(way.name)"))
        .replacing("{hop}", with: url(.own, "/hop/\(way.name)/\(number)"))
        .replacing("{click}", with: Self.act("click")).replacing("{submit}", with: Self.act("submit"))
    }
    let done = #"<script>setTimeout(() => fetch("/done/\#(run)"), \#(Self.pause))</script>"#
    return Self.response(
      "200 OK", "text/html",
      "<!doctype html><meta charset=\"utf-8\"><title>self-test</title><body>\(bodies.joined(separator: "\n"))\(done)")
  }

  private static func act(_ how: String) -> String {
    "<script>document.getElementById(\"go\").\(how)()</script>"
  }

  /// Milliseconds that a page gives its ways.
  private static let pause = 1200

  private static func response(_ status: String, _ type: String, _ body: String, more: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(more)"
      + "Cache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n\(body)"
  }
}

extension [UInt8] {
  fileprivate func contains(subsequence: [UInt8]) -> Bool {
    guard count >= subsequence.count else { return false }
    return indices.dropLast(subsequence.count - 1).contains { self[$0...].starts(with: subsequence) }
  }
}
