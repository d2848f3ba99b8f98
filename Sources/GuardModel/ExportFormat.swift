/// A format for the explicit external rules of a rule set as the static rules of one browser engine: the word of
/// `webviewguard export --for` and of `ExportRules`.
package enum ExportFormat: String, Sendable, Hashable, CaseIterable {
  case webkitContentBlocker = "webkit-content-blocker"
  case chromiumPolicy = "chromium-policy"
  case firefoxPolicy = "firefox-policy"
  case declarativeNetRequest = "declarative-net-request"
  /// The value of the switch `--host-resolver-rules`, which is no JSON.
  case chromiumHostRules = "chromium-host-rules"
}
