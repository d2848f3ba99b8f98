internal import GuardModel
internal import JSONText
internal import PolicyTools

/// What the daemon said to `reload`, for people: a summary, and what would change.
struct ReloadReport {
  let reply: VarlinkReply
  let isPreview: Bool

  private static let loadFailed = "org.webviewguard.Admin.LoadFailed"
  private static let tooManyChanges = "org.webviewguard.Admin.TooManyChanges"
  private static let rolledBack = "org.webviewguard.Admin.RolledBack"
  /// Those that are an answer, and no failure to answer.
  static let errors: Set<String> = [loadFailed, tooManyChanges, rolledBack]

  var status: Int32 {
    if isPreview { return reply.error != nil ? 2 : (changed > 0 ? 1 : 0) }
    return reply.error == nil ? 0 : 1
  }

  var lines: [String] {
    // A diagnostic of two lines, the second a hint, comes as one text.
    let diagnostics = (reply.parameters["diagnostics"]?.array ?? []).compactMap(\.string)
      .flatMap { $0.split(separator: "\n").map(String.init) }
    return diagnostics + previewLines + [summary]
  }

  private var preview: JSONTree? { reply.parameters["preview"] }

  private var changed: Int64 { preview?["changed"]?.int ?? 0 }

  private var summary: String {
    switch reply.error {
    case nil where isPreview: return changed == 0 ? "nothing would change" : "nothing is in force of this"
    case nil:
      let generation = reply.parameters["generation"]?.int.map { String($0) } ?? "unknown"
      let isChanged = reply.parameters["changed"]?.bool ?? false
      return isChanged ? "loaded, generation \(generation)" : "nothing changed, generation \(generation)"
    case Self.tooManyChanges:
      let maximum = reply.parameters["maximum"]?.int ?? 0
      return "not loaded: more than \(maximum) answers would be less strict; the policy in force stays"
    case Self.rolledBack:
      return "not loaded: this configuration was rolled back from; `webviewguard reload --force` loads it all the same"
    default: return isPreview ? "cannot be loaded" : "not loaded; the policy in force stays"
    }
  }

  // MARK: Preview

  private var previewLines: [String] {
    guard let preview else { return [] }
    let since = preview["since"]?.int.map { RFC3339.text(UInt64(max(0, $0))) } ?? "unknown"
    let loosened = preview["loosened"]?.int.map { ", \($0) less strictly" } ?? ""
    let otherwise = "\(number(preview["changed"])) would be answered otherwise" + loosened
    var lines = ["\(count(preview["judged"], "recent event")) since \(since): \(otherwise)"]
    if let ended = preview["notJudged"]?.int, ended > 0 {
      lines.append("not judged: \(ended), whose programs have ended")
    }
    if let missed = preview["notRemembered"]?.int, missed > 0 {
      lines.append("not remembered: \(missed), which were too many at once or too long")
    }
    let changes = preview["changes"]?.array ?? []
    lines += changes.flatMap(change)
    let told = changes.reduce(0) { $0 + ($1["events"]?.int ?? 0) }
    if told < changed { lines += ["", "and \(changed - told) more"] }
    return lines
  }

  /// In the manner of `diff`: the kind of change, the rules, the event.
  private func change(_ change: JSONTree) -> [String] {
    let (before, after) = (change["before"] ?? [:], change["after"] ?? [:])
    var lines = ["", "\(answer(before)) -> \(answer(after)): seen \(number(change["seen"])) times"]
    if before["rule"] != nil || after["rule"] != nil {
      lines += TextTable([["before"] + rule(before), ["after"] + rule(after)]).lines.map { "  " + $0 }
    }
    let who = [change["app"]?.string, change["class"]?.string].compactMap(\.self).joined(separator: "/")
    let what = [change["event"]?.string, change["url"]?.string].compactMap(\.self).joined(separator: " ")
    return lines + ["  \(who)  \(what)"]
  }

  private func answer(_ answer: JSONTree) -> String {
    let target = answer["target"]?.string.map { " to \($0)" } ?? ""
    let advised = answer["advised"]?.string.map { ", advised \($0)" } ?? ""
    let duties = (answer["duties"]?.array ?? []).compactMap(\.string).map { ", " + $0 }.joined()
    let (outcome, reason) = (answer["outcome"]?.string ?? "unknown", answer["reason"]?.string ?? "unknown")
    return "\(outcome)\(target) (\(reason))\(advised)\(duties)"
  }

  private func rule(_ answer: JSONTree) -> [String] {
    guard let rule = answer["rule"]?.string else { return ["no rule"] }
    return [rule, answer["ruleSet"]?.string, answer["ruleLocation"]?.string].compactMap(\.self)
  }

  private func count(_ value: JSONTree?, _ word: String) -> String {
    "\(number(value)) \(word)\(value?.int == 1 ? "" : "s")"
  }

  private func number(_ value: JSONTree?) -> String { value?.int.map { String($0) } ?? "unknown" }
}
