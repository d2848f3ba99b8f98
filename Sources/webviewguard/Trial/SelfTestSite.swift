internal import Platform

/// The site of a self-test: pages that go every way out, and a log of what arrived.
///
///     /way/link/2          goes the way `link` to 127.0.0.2; /way/all-frames/3 those of all frames to 127.0.0.3
///     /arrived/link        what a way leads to; which host answers it says where it arrived
///     /next/7/link/2       a page of the seventh start asks where to go next, and waits for the answer
///     /302?to=URL          leads on; so do /307, /chain (twice) and /refresh (by a page)
struct SelfTestSite {
  let port: UInt16
  /// When each first arrived.
  private(set) var arrivals: [SelfTestTrip: Int64] = [:]
  /// When its page was loaded last: nothing is known of another, not even that it was stopped.
  private(set) var loads: [SelfTestTrip: Int64] = [:]
  /// When the script of its page asked where to go next.
  private(set) var acts: [SelfTestTrip: Int64] = [:]
  /// When the program last asked the daemon about its target.
  private(set) var questions: [SelfTestTrip: Int64] = [:]
  /// Those at whose end the program had ended by itself.
  private(set) var ended: Set<SelfTestTrip> = []
  /// Pages that wait to be told where to go.
  private var waiting: [(place: String, connection: TrialConnection)] = []
  /// Pages of earlier starts may still speak: those of programs that outlive their end.
  private(set) var start = 0

  init(port: UInt16) { self.port = port }

  mutating func beginStart() {
    start += 1
    for page in waiting { page.connection.isEnding = true }
    waiting = []
  }

  func url(_ host: SelfTestHost, _ path: String) -> String { "http://\(host.address):\(port)\(path)" }
  func url(of step: SelfTestStep, to host: SelfTestHost) -> String { url(.own, "/way/\(step.name)/\(host.rawValue)") }
  var beginning: String { url(.own, "/begin/\(start)") }

  // MARK: What is known

  func trips(_ step: SelfTestStep, to host: SelfTestHost) -> [SelfTestTrip] {
    step.ways.map { SelfTestTrip(way: $0.name, host: host) }
  }

  /// The program goes this way: it reached its own host.
  func isGone(_ way: SelfTestWay) -> Bool { arrivals[SelfTestTrip(way: way.name, host: .own)] != nil }

  /// Something is known of a trip that did not arrive: its page was loaded, and its script came to its end, where scripts run.
  func isTried(_ trip: SelfTestTrip) -> Bool {
    guard loads[trip] != nil else { return false }
    let hasScripts = acts.keys.contains { $0.host == .own }
    return !hasScripts || acts[trip] != nil || questions[trip] != nil || ended.contains(trip) || arrivals[trip] != nil
  }

  /// The page of a step was loaded.
  func isLoaded(_ step: SelfTestStep, to host: SelfTestHost, since moment: Int64) -> Bool {
    trips(step, to: host).allSatisfy { loads[$0] ?? 0 >= moment }
  }

  mutating func note(endAt step: SelfTestStep, to host: SelfTestHost) { ended.formUnion(trips(step, to: host)) }

  /// The program asked the daemon about a URL.
  mutating func note(questionAbout url: String) {
    for host in SelfTestHost.allCases {
      let start = self.url(host, "/arrived/")
      guard url.hasPrefix(start) else { continue }
      let way = url.dropFirst(start.count).prefix { $0 != "?" && $0 != "#" }
      questions[SelfTestTrip(way: String(way), host: host)] = SystemClock.monotonicMilliseconds
    }
  }

  // MARK: Pages that wait

  /// Whether a page waits that has this place: that of a step, of the beginning, or of the helper.
  func waits(_ place: String) -> Bool { waiting.contains { $0.place == place && !$0.connection.isClosed } }

  func place(of step: SelfTestStep, to host: SelfTestHost) -> String { "\(step.name)/\(host.rawValue)" }

  /// Tells the page where to go.
  mutating func send(_ place: String, to url: String) {
    guard let index = waiting.firstIndex(where: { $0.place == place && !$0.connection.isClosed }) else { return }
    let page = waiting.remove(at: index)
    page.connection.output += Array(Self.response("200 OK", "text/plain", url).utf8)
    page.connection.isEnding = true
  }

  // MARK: Serving

  /// Answers what lies in a connection's input as soon as it is a whole request.
  mutating func serve(_ connection: TrialConnection) {
    guard case .web(let number) = connection.door, let host = SelfTestHost(rawValue: number),
      let target = Self.target(of: connection.input)
    else { return }
    connection.input = []
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let path = parts[0].split(separator: "/").map(String.init)
    if path.first == "next", path.count == 4, path[1] == String(start) {
      let place = path[2] + "/" + path[3]
      if let step = SelfTestStep(named: path[2]), let to = UInt8(path[3]).flatMap(SelfTestHost.init) {
        for trip in trips(step, to: to) { acts[trip] = acts[trip] ?? SystemClock.monotonicMilliseconds }
      }
      return waiting.append((place, connection))
    }
    connection.output += Array(answer(path, parts.count > 1 ? parts[1] : "", at: host).utf8)
    connection.isEnding = true
  }

  /// The target of a request; nil until it is whole, with its body.
  private static func target(of input: [UInt8]) -> String? {
    let text = String(decoding: input, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].split(separator: "\r\n")
    let length = lines.dropFirst().first { $0.lowercased().hasPrefix("content-length:") }?
      .split(separator: ":").last.flatMap { Int($0.filter(\.isNumber)) }
    guard text[end.upperBound...].utf8.count >= length ?? 0 else { return nil }
    let words = lines.first?.split(separator: " ") ?? []
    return words.count > 1 ? String(words[1]) : "/"
  }

  private mutating func answer(_ path: [String], _ query: String, at host: SelfTestHost) -> String {
    switch (path.first, path.dropFirst().first) {
    case ("arrived", let name?):
      let trip = SelfTestTrip(way: name, host: host)
      arrivals[trip] = arrivals[trip] ?? SystemClock.monotonicMilliseconds
      return Self.end(of: name)
    case ("way", let name?):
      let host = path.last.flatMap(UInt8.init).flatMap(SelfTestHost.init)
      guard let step = SelfTestStep(named: name), let to = host else { break }
      for trip in trips(step, to: to) { loads[trip] = SystemClock.monotonicMilliseconds }
      return page(step, to)
    case ("begin", _): return beginningPage
    case ("helper", _): return helperPage
    case ("service-worker.js", _): return Self.response("200 OK", "text/javascript", SelfTestWay.serviceWorker)
    case ("chain", _): return Self.leading("302 Found", url(.own, "/302?\(query)"))
    case ("302", _): return leading(query) { Self.leading("302 Found", $0) }
    case ("307", _): return leading(query) { Self.leading("307 Temporary Redirect", $0) }
    case ("refresh", _): return leading(query) { Self.refreshing($0) }
    default: break
    }
    return Self.response("204 No Content", "text/plain", "")
  }

  /// What a way finds at its end. A page stays where it is, so that it can go its next way.
  private static func end(of name: String) -> String {
    let serves = SelfTestStep(named: name)?.ways.first?.serves ?? "text/html"
    if serves == "text/html" || serves == "text/event-stream" { return response("204 No Content", serves, "") }
    let more = serves == "application/octet-stream" ? ["Content-Disposition": "attachment; filename=\(name)"] : [:]
    return response("200 OK", serves, serves == "application/octet-stream" ? "data" : "", more)
  }

  private func leading(_ query: String, _ answer: (String) -> String) -> String {
    let to = Self.unquoted(query.split(separator: "=", maxSplits: 1).last ?? "")
    // Nowhere but to this site.
    let isOurs =
      SelfTestHost.allCases.contains { to.hasPrefix(url($0, "/arrived/")) }
      && !to.contains(where: \.isNewline)
    return isOurs ? answer(to) : Self.response("404 Not Found", "text/plain", "")
  }
}
