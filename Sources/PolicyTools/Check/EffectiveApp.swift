internal import GuardModel
internal import JSONText
internal import PolicyEngine
internal import URLRules

/// A policy's effect on one app: a row for each kind of viewer and each protection.
struct EffectiveApp {
  let name: String
  /// One line on the settings common to all its viewers.
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

  /// The rows, without values repeated from the row above.
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

/// The owner of a viewer's data, as far as it makes a difference.
struct EffectiveSubject {
  let name: String
  let protection: Protection?
}

extension EffectiveViewer {
  /// An unmanaged viewer stays unmanaged with any user signed in.
  fileprivate func subjects(_ snapshot: Snapshot) -> [EffectiveSubject] {
    let nobody = EffectiveSubject(name: policy == .unmanaged ? "any" : "none", protection: nil)
    guard policy != .unmanaged else { return [nobody] }
    return snapshot.protections.map { EffectiveSubject(name: $0.name, protection: $0) } + [nobody]
  }
}

extension Snapshot {
  /// The protection whose web transfer counts where rules apply always and no user is signed in.
  fileprivate var strictest: Protection? {
    strictest("webTransfer", of: allProtections).map { self[$0] }
  }
}

/// A protection's settings, in a few words each.
extension Protection {
  /// The treatment of an external page in a main frame.
  func externalText(_ app: App, _ browsers: Browsers) -> String {
    switch webTransfer {
    case .any: return "load in place"
    case .block: return "block"
    case .managedBrowser:
      guard let browser = browsers.managed else { return "block: no managed browser is configured" }
      if browser.app == app.name || browser.alternatives.contains(where: { $0.app == app.name }) {
        return "load in place: it is a managed browser"
      }
      let programs = browser.programs(for: app.name).map(\.text)
      return programs.isEmpty
        ? "block: no managed browser is for it" : "open in \(programs.joined(separator: ", else "))"
    case .unmanagedBrowser:
      guard let browser = browsers.unmanaged else { return "block: no unmanaged browser is configured" }
      return "open in \(browser.program.text)"
    }
  }

  /// Permitted copies out and in; "out" and "in" as seen from the account's data.
  func clipboardText(blocksUpload: Bool) -> String {
    let words =
      switch (clipboard.level, blocksUpload) {
      case (.any, false): "out and in freely"
      case (.any, true): "out freely, nothing in"
      case (.managedWithPasteIn, false): "out to the same account, in freely"
      case (.managedWithPasteIn, true), (.managed, true): "out to the same account, nothing in"
      case (.managed, false): "within the same account"
      case (.blocked, false): "within the app"
      case (.blocked, true): "out within the app, nothing in"
      }
    guard clipboard.exceptionLength > 0, clipboard.level != .any else { return words }
    return words + "; texts up to \(clipboard.exceptionLength) pass"
  }

  /// Which URLs of other schemes may leave for the program that opens them.
  var handOffText: String {
    guard send != .any else { return "any program" }
    let classes = [
      telecommunication == .none ? nil : "calls", messaging == .none ? nil : "messages",
    ].compactMap(\.self)
    guard send.isManaged else { return classes.isEmpty ? "block" : "only " + classes.joined(separator: ", ") }
    let schemes = Set(exemptSchemes + managedSchemes).map { String(decoding: $0, as: UTF8.self) }.sorted()
    let shown = schemes.prefix(Self.maximumSchemes)
    let rest = schemes.count > shown.count ? ["\(schemes.count - shown.count) more"] : []
    let parts = classes + shown + rest
    return parts.isEmpty ? "block" : "only " + parts.joined(separator: ", ")
  }

  private static let maximumSchemes = 4
}

extension Program {
  fileprivate var text: String { desktopID ?? command?.first ?? "the desktop's browser" }
}

/// Resolved settings for the viewers of one class, where the app says nothing further.
struct EffectiveViewer: Hashable {
  /// The class; or which viewers have none.
  let name: String
  let policy: WebViewPolicy
  let source: PolicySource
  /// The rule set, in words.
  let rules: String
  let hasRules: Bool
  /// The rules hold for data of unmanaged accounts, too.
  let alwaysJudged: Bool

  /// Those of each class, those without a class, and unregistered ones.
  static func all(of app: App, _ snapshot: Snapshot) -> [EffectiveViewer] {
    app.classes.map { EffectiveViewer($0, app, snapshot) } + [EffectiveViewer(withoutClassIn: app), unknown(in: app)]
  }

  private init(
    name: String, _ policy: (WebViewPolicy, PolicySource), rules: String, hasRules: Bool, alwaysJudged: Bool
  ) {
    self.name = name
    (self.policy, source) = policy
    self.rules = rules
    self.hasRules = hasRules
    self.alwaysJudged = alwaysJudged
  }

  private init(_ viewerClass: ViewerClass, _ app: App, _ snapshot: Snapshot) {
    let stated = viewerClass.policy.flatMap { $0 == .unset ? nil : $0 }
    let ruleSet = viewerClass.ruleSet.map { snapshot[$0].name }
    let always = viewerClass.rulesApply == .always
    self.init(
      name: viewerClass.name, stated.map { ($0, .viewerClass) } ?? app.unstatedPolicy,
      rules: ruleSet.map { always ? "\($0), always" : $0 } ?? "the app's choice", hasRules: ruleSet != nil,
      alwaysJudged: always)
  }

  private init(withoutClassIn app: App) {
    self.init(
      name: "(no class)", app.unstatedPolicy, rules: "the app's choice", hasRules: false, alwaysJudged: false)
  }

  private static func unknown(in app: App) -> EffectiveViewer {
    let count = Set(app.classes.compactMap(\.ruleSet)).count
    return EffectiveViewer(
      name: "(unregistered)", (.currentIdentityBlockUpload, .unknownViewer),
      rules: count == 0 ? "all external" : count == 1 ? "that of the classes" : "strictest of \(count)", hasRules: true,
      alwaysJudged: app.classes.contains { $0.rulesApply == .always })
  }

  var policyText: String { "\(policy.name) (\(source.rawValue))" }

  var blocksUpload: Bool { policy == .currentIdentityBlockUpload }
}

extension App {
  /// The settings of a viewer for which its class, its tags and everything above them state none.
  fileprivate var unstatedPolicy: (WebViewPolicy, PolicySource) {
    treatAllWebViewsAsUnmanaged ? (.unmanaged, .flag) : (.currentIdentity, .default)
  }
}
