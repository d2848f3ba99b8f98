internal import GuardModel
internal import PolicyEngine

/// The policies that decisions are measured under; all without rules, so that no URL is matched.
enum DecisionPolicy: String, CaseIterable {
  /// Every level is `managed`, with what is asked among what may be.
  case managed
  /// Nothing may be done; it is only monitored, so that each question is judged twice.
  case monitored
  /// Nothing may be done; the user is warned, so that each question is judged twice.
  case warned
  /// As `managed`, and the app asks a source who is signed in.
  case sourced
  /// As `managed`, and the account works while a condition holds.
  case conditioned
  /// As `managed`, and the person has unlocked.
  case unlocked
  /// The three together.
  case living

  static let account = "work@contoso.com"
  static let programs = (1...20).map { "org.example.Program\($0).desktop" }

  var snapshot: Snapshot {
    var app = App(name: "com.contoso.portal")
    app.identityMode = .multi
    app.managedAccounts = .several
    if asksSources { app.accounts.sources = [.broker, .app] }
    let work = AccountEntry(upn: Self.account, objectID: "6D5C")
    return Snapshot(
      generation: Generation(number: 1, digest: "d1"), apps: [app], accounts: AccountDirectory(entries: [work]),
      protections: [protection])
  }

  var asksSources: Bool { self == .sourced || self == .living }
  var hasConditions: Bool { self == .conditioned || self == .living }
  var asksPerson: Bool { self == .unlocked || self == .living }

  private var protection: Protection {
    var protection = Protection(name: "standard")
    protection.accountPatterns = ["*@contoso.com"]
    protection.webTransfer = .any
    (protection.send, protection.receive) = (.managed, .managed)
    protection.managedApps = Self.programs.map { Array($0.utf8) }
    protection.save = LocationSettings(allowed: false, exceptions: LocationSet([.sharePoint]))
    protection.open = protection.save
    if hasConditions { protection.conditions = [LaunchCondition("DiskEncrypted", .equals, .truth(true))] }
    if asksPerson { protection.unlock = .polkit }
    if self != .monitored, self != .warned { return protection }
    (protection.send, protection.receive) = (.none, .none)
    (protection.printing, protection.screenCapture, protection.indexing) = (.block, .block, .block)
    (protection.contacts, protection.notifications, protection.webTransfer) = (.block, .block, .block)
    if self == .monitored { protection.monitoredUntil = 100 }
    if self == .warned { protection.warn = .warnable }
    return protection
  }
}
