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

  static let account = "work@contoso.com"
  static let programs = (1...20).map { "org.example.Program\($0).desktop" }

  var snapshot: Snapshot {
    var app = App(name: "com.contoso.portal")
    app.identityMode = .multi
    app.managedAccounts = .several
    let work = AccountEntry(upn: Self.account, objectID: "6D5C")
    return Snapshot(
      generation: Generation(number: 1, digest: "d1"), apps: [app], accounts: AccountDirectory(entries: [work]),
      protections: [protection])
  }

  private var protection: Protection {
    var protection = Protection(name: "standard")
    protection.accountPatterns = ["*@contoso.com"]
    protection.webTransfer = .any
    (protection.send, protection.receive) = (.managed, .managed)
    protection.managedApps = Self.programs.map { Array($0.utf8) }
    protection.save = LocationSettings(allowed: false, exceptions: LocationSet([.sharePoint]))
    protection.open = protection.save
    if self == .managed { return protection }
    (protection.send, protection.receive) = (.none, .none)
    (protection.printing, protection.screenCapture, protection.indexing) = (.block, .block, .block)
    (protection.contacts, protection.notifications, protection.webTransfer) = (.block, .block, .block)
    if self == .monitored { protection.monitoredUntil = 100 }
    if self == .warned { protection.warn = .warnable }
    return protection
  }
}
