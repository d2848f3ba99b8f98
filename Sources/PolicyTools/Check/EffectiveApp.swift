internal import GuardModel
internal import JSONText
internal import PolicyEngine

/// What a policy comes to for one app: a row for each kind of viewer and each protection.
struct EffectiveApp {
  let name: String
  /// What holds for all its viewers, in a line.
  let summary: String
  let rows: [EffectiveRow]

  static func all(in snapshot: Snapshot) -> [EffectiveApp] { snapshot.apps.map { EffectiveApp($0, snapshot) } }

  private init(_ app: App, _ snapshot: Snapshot) {
    name = app.name
    let account = app.account.map { $0.isEmpty ? ", always nobody's" : ", always `\($0)`" } ?? ""
    let flag = app.treatAllWebViewsAsUnmanaged ? ", untagged viewers unmanaged" : ""
    summary =
      "\(app.identityMode.rawValue) identity\(account), \(app.untilIdentity.rawValue) until one is set, "
      + "popups \(app.popups.rawValue)\(flag), records \(app.record.rawValue)"
    rows = EffectiveViewer.all(of: app, snapshot).flatMap { viewer in
      viewer.subjects(snapshot).map { EffectiveRow(viewer, $0, app, snapshot) }
    }
  }

  /// The rows, with what repeats from one to the next left out.
  var table: TextTable {
    var last: EffectiveViewer?
    let cells = rows.map { row in
      let isSame = row.viewer == last
      last = row.viewer
      let viewer = isSame ? ["", "", ""] : [row.viewer.name, row.viewer.policyText, row.viewer.rules]
      return viewer + [row.subject, row.external, row.clipboard, row.handOff]
    }
    return TextTable(
      ["CLASS", "POLICY", "RULES", "PROTECTION", "EXTERNAL PAGES", "CLIPBOARD", "OTHER SCHEMES"], cells)
  }

  var json: JSONTree {
    ["name": .string(name), "rows": .array(rows.map(\.json))]
  }
}

/// One row of the table.
struct EffectiveRow {
  let viewer: EffectiveViewer
  /// The protection's name, or who has none.
  let subject: String
  let external: String
  let clipboard: String
  let handOff: String

  fileprivate init(_ viewer: EffectiveViewer, _ subject: EffectiveSubject, _ app: App, _ snapshot: Snapshot) {
    self.viewer = viewer
    self.subject = subject.name
    let settings = subject.protection ?? (viewer.alwaysJudged ? snapshot.strictest : nil)
    if !viewer.hasRules {
      external = "none: every web page is internal"
    } else {
      external = settings.map { $0.externalText(app, snapshot.browsers) } ?? "load in place"
    }
    clipboard = subject.protection.map { $0.clipboardText(blocksUpload: viewer.blocksUpload) } ?? "free"
    handOff = subject.protection?.handOffText ?? "any program"
  }

  fileprivate var json: JSONTree {
    [
      "class": .string(viewer.name), "policy": .string(viewer.policy.name),
      "policySource": .string(viewer.source.rawValue), "rules": .string(viewer.rules), "protection": .string(subject),
      "external": .string(external), "clipboard": .string(clipboard), "otherSchemes": .string(handOff),
    ]
  }
}

/// Whose data a viewer shows, as far as it makes a difference.
struct EffectiveSubject {
  let name: String
  let protection: Protection?
}

extension EffectiveViewer {
  /// An unmanaged viewer is nobody's whoever is signed in.
  fileprivate func subjects(_ snapshot: Snapshot) -> [EffectiveSubject] {
    let nobody = EffectiveSubject(name: policy == .unmanaged ? "any" : "none", protection: nil)
    guard policy != .unmanaged else { return [nobody] }
    return snapshot.protections.map { EffectiveSubject(name: $0.name, protection: $0) } + [nobody]
  }
}

extension Snapshot {
  /// The protection whose web transfer counts where rules apply always and nobody is signed in.
  fileprivate var strictest: Protection? {
    strictest("webTransfer", of: allProtections).map { protections[Int($0)] }
  }
}
