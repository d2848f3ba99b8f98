/// What the explicit external rules are written as.
package enum ExportFormat: String, CaseIterable, Sendable {
  case webkitContentBlocker = "webkit-content-blocker"
  case chromiumPolicy = "chromium-policy"
  case firefoxPolicy = "firefox-policy"
  case declarativeNetRequest = "declarative-net-request"

  /// The engine, as messages name it.
  var engine: String {
    switch self {
    case .webkitContentBlocker: "WebKit"
    case .chromiumPolicy: "Chromium's policy"
    case .firefoxPolicy: "Firefox's policy"
    case .declarativeNetRequest: "`declarativeNetRequest`"
    }
  }

  /// What the engine takes at most, in words.
  var limit: String {
    switch self {
    case .webkitContentBlocker: "150,000 rules, of one host each"
    case .chromiumPolicy, .firefoxPolicy: "1,000 entries in a list"
    case .declarativeNetRequest: "30,000 rules, 1,000 of them with a regular expression"
    }
  }
}
