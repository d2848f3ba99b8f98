internal import GuardModel

extension LogRecord {
  /// The record as one line for people, with nothing in it that could steer a terminal.
  ///
  ///     2026-11-21T02:39:29.000Z redirect external documents@com.contoso.portal https://a.example/ rule=x/7 … #d-7
  ///     2026-11-21T02:39:30.000Z setIdentity com.contoso.portal identityLevel=window account=acct:ba73f6075026d25eadf5
  package var line: String {
    let time = RFC3339.text(milliseconds)
    let words = type == RecordType.decision.rawValue ? decisionWords : otherWords
    return ([time] + words).joined(separator: " ")
  }

  private var decisionWords: [String] {
    var words = [self["outcome"], self["reason"]].compactMap { $0.map(visible) }
    words.append(who)
    words.append(url ?? self["event"].map(visible) ?? "")
    if let advised = self["advised"], advised != self["outcome"] { words.append("advised=" + visible(advised)) }
    if let rule = self["rule"] { words.append("rule=" + visible((self["ruleSet"] ?? "") + "/" + rule)) }
    if let place = self["ruleLocation"] { words.append("at=" + visible(place)) }
    for name in ["account", "clipOwner", "generation", "repeats"] {
      if let text = self[name] { words.append(name + "=" + visible(text)) }
    }
    if let id = self["id"] { words.append("#" + visible(id)) }
    return words.filter { !$0.isEmpty }
  }

  private var otherWords: [String] {
    let shown: Set<String> = ["change", "viewer", "app"]
    let words = [visible(self["change"] ?? type), who]
    let rest = members.filter { !shown.contains($0.name) }.map { visible($0.name) + "=" + visible($0.text) }
    let mark = type == RecordType.recovered.rawValue ? ["recovered"] : []
    return words.filter { !$0.isEmpty } + mark + rest
  }

  private var who: String {
    guard let app = self["app"] else { return "" }
    guard let viewer = self["viewer"] else { return visible(app) }
    return visible(viewer) + "@" + visible(app)
  }

  private var url: String? {
    if let url = self["url"] { return visible(url) }
    return self["urlInvalid"].map { _ in "(invalid URL of " + visible(self["urlBytes"] ?? "?") + " bytes)" }
  }
}
