/// The pages of the site of a self-test.
extension SelfTestSite {
  /// The page that goes some ways to a host, one after the other, and asks where to go next. A page that may leave asks before:
  /// engines run no further script of a page that has begun to leave.
  func page(_ step: SelfTestStep, _ host: SelfTestHost) -> String {
    let bodies = step.ways.enumerated().map { number, way in body(way, host, number) }
    let headers = step.ways.reduce(into: [String: String]()) { headers, way in
      for (name, value) in way.headers { headers[name] = filled(value, way, host, 0) }
    }
    let tools = "<script>\n\(SelfTestWay.tools)\n</script>"
    let asking = [asking(place(of: step, to: host))]
    let parts = [tools] + (step.ways.count > 1 ? bodies + asking : asking + bodies)
    return Self.document(parts.joined(separator: "\n"), headers)
  }

  private func body(_ way: SelfTestWay, _ host: SelfTestHost, _ number: Int) -> String {
    let go = "go-\(way.name)"
    let html = filled(way.html, way, host, number).replacing("id=go", with: "id=\(go)")
    let target = url(host, "/arrived/\(way.name)")
    let script =
      if !way.act.isEmpty {
        "(async u => { \(way.act) })(\"\(target)\").catch(() => 0)"
      } else {
        switch way.trigger {
        case "click": "document.getElementById(\"\(go)\").click()"
        case "middle":
          "document.getElementById(\"\(go)\").dispatchEvent("
            + "new MouseEvent(\"click\", { button: 1, ctrlKey: true, bubbles: true, cancelable: true }))"
        default: ""
        }
      }
    return script.isEmpty ? html : html + "<script>\(script)</script>"
  }

  private func filled(_ text: String, _ way: SelfTestWay, _ host: SelfTestHost, _ number: Int) -> String {
    let target = url(host, "/arrived/\(way.name)")
    return text.replacing("{url}", with: target).replacing("{quoted}", with: Self.quoted(target))
      .replacing("{witness}", with: url(.own, "/witness/\(way.name)")).replacing("{n}", with: String(number))
  }

  /// The first page of a start with a helper: another window of the program, which outlives a notice in this one.
  var beginningPage: String {
    let helper = url(.own, "/helper/0")
    return Self.document("<script>window.open(\"\(helper)\")</script>" + asking(Self.beginningPlace))
  }

  private func nextPath(_ place: String) -> String { "/next/\(start)/\(place)" }

  static let beginningPlace = "begin/0"
  static let helperPlace = "helper/0"

  /// Without an opener it is not the program's other window, but may be anybody's: then it does nothing.
  var helperPage: String { Self.document(asking(Self.helperPlace, leads: "opener")) }

  /// A script that asks where to go, again when that fails, and leads there.
  private func asking(_ place: String, leads window: String = "window") -> String {
    """
    <script>
    const next = () => fetch("\(nextPath(place))").then(answer => answer.text()).then(url => {
      if (url) \(window).location.href = url;
      if (url && \(window) !== window) setTimeout(next, 100);
    }).catch(() => setTimeout(next, 200));
    if (\(window)) next();
    </script>
    """
  }

  private static func document(_ body: String, _ headers: [String: String] = [:]) -> String {
    let head = "<!doctype html><meta charset=\"utf-8\"><title>self-test</title><link rel=icon href='data:,'><body>"
    return response("200 OK", "text/html", head + body, headers)
  }

  static func leading(_ status: String, _ url: String) -> String {
    response(status, "text/html", "", ["Location": url])
  }

  static func refreshing(_ url: String) -> String {
    document("<meta http-equiv=refresh content=\"0;url=\(url)\">")
  }

  static func response(_ status: String, _ type: String, _ body: String, _ headers: [String: String] = [:]) -> String {
    let more = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    return "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(more)"
      + "Cache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n\(body)"
  }

  // MARK: Queries

  /// `http://127.0.0.2:80/x` -> `http%3A%2F%2F127.0.0.2%3A80%2Fx`
  static func quoted(_ text: String) -> String {
    text.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      if byte < 128, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) { return String(scalar) }
      return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  static func unquoted(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
