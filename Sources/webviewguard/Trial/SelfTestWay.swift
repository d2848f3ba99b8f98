/// One way by which a page may reach another host.
struct SelfTestWay: Hashable {
  enum Kind: String, CaseIterable {
    case page, form, hop, popup, frame, download, resource

    /// The default verdict `external` stops it; of resources only a rule that names the host does.
    var isStoppedByDefault: Bool { self != .resource }
  }

  let name: String
  let kind: Kind
  /// The body of the page that goes it. `{to}` is the target, `{ws}` the same as a WebSocket's, `{file}` a file there, and
  /// `{hop}` a page of the own host that redirects there; `{click}` and `{submit}` act on the element `go`.
  let body: String

  init(_ name: String, _ kind: Kind, _ body: String) { (self.name, self.kind, self.body) = (name, kind, body) }

  /// It stays in its page, so that all of these are gone at once.
  var stays: Bool { kind == .frame || kind == .resource }

  static let all: [SelfTestWay] = [
    SelfTestWay("link", .page, #"<a id="go" href="{to}">go</a>{click}"#),
    SelfTestWay("location", .page, #"<script>location.href = "{to}"</script>"#),
    SelfTestWay("replace", .page, #"<script>location.replace("{to}")</script>"#),
    SelfTestWay("refresh", .page, #"<meta http-equiv="refresh" content="0;url={to}">"#),
    SelfTestWay(
      "form-get", .form,
      #"<form id="go" action="{to}"><input name="secret" value="data"></form>{submit}"#
    ),
    SelfTestWay(
      "form-post", .form,
      #"<form id="go" action="{to}" method="post"><input name="secret" value="data"></form>{submit}"#
    ),
    SelfTestWay("hop-302", .hop, #"<a id="go" href="{hop}">go</a>{click}"#),
    SelfTestWay("hop-307", .hop, #"<a id="go" href="{hop}">go</a>{click}"#),
    SelfTestWay(
      "blank", .popup,
      #"<a id="go" target="_blank" href="{to}">go</a>{click}"#),
    SelfTestWay("window-open", .popup, #"<script>window.open("{to}")</script>"#),
    SelfTestWay(
      "download", .download,
      #"<a id="go" download href="{file}">go</a>{click}"#),
    SelfTestWay("iframe", .frame, #"<iframe src="{to}"></iframe>"#),
    SelfTestWay("object", .frame, #"<object type="text/html" data="{to}"></object>"#),
    SelfTestWay("image", .resource, #"<img src="{to}">"#),
    SelfTestWay("script", .resource, #"<script src="{to}"></script>"#),
    SelfTestWay("stylesheet", .resource, #"<link rel="stylesheet" href="{to}">"#),
    SelfTestWay("prefetch", .resource, #"<link rel="prefetch" href="{to}">"#),
    SelfTestWay("fetch", .resource, #"<script>fetch("{to}", {mode: "no-cors"}).catch(() => 0)</script>"#),
    SelfTestWay(
      "fetch-post", .resource,
      #"<script>fetch("{to}", {method: "POST", mode: "no-cors", body: "data"}).catch(() => 0)</script>"#),
    SelfTestWay("beacon", .resource, #"<script>navigator.sendBeacon("{to}", "data")</script>"#),
    SelfTestWay("websocket", .resource, #"<script>try { new WebSocket("{ws}") } catch (e) {}</script>"#),
    SelfTestWay("event-source", .resource, #"<script>new EventSource("{to}")</script>"#),
  ]
}

/// The hosts of the site, by the last number of their address in the loopback network.
enum SelfTestHost: UInt8, CaseIterable {
  /// The organisation's own.
  case own = 1
  /// External by the default, which no rule names.
  case external = 2
  /// A rule names it.
  case named = 3

  var address: String { "127.0.0.\(rawValue)" }
}
