import GuardModel
import PolicyEngine
import Testing

/// Every kind of event that a protection can refuse: refused, only monitored in two ways, and warned of.
extension Situation {
  static let restricted: [Situation] = Enforcement.allCases.flatMap { enforcement in
    refusals.map { refusal in
      Situation(
        "\(refusal.event.kind.name), \(enforcement)", enforcement.answer(to: refusal), refusal.event, features: [.warn],
        state: { if refusal.event.kind == .paste { _ = $0.clip(.copy) } },
        policy: { policy in
          policy.protection.forbidEverything()
          policy.protection.requiresInspection = refusal.event.kind == .copy
          enforcement.apply(to: &policy)
        })
    }
  }

  /// Each kind, and the reason by which `forbidEverything` refuses it.
  fileprivate struct Refusal {
    let event: Event
    let reason: Reason

    init(_ reason: Reason, _ event: Event) {
      self.event = event
      self.reason = reason
    }
  }

  private static let refusals: [Refusal] = [
    Refusal(.externalBlocked, .data(.navigate, url: "https://news.example/") { $0.frame = .main }),
    Refusal(.scanRequired, .data(.copy) { ($0.selection, $0.length) = (.clipboard, 5) }),
    Refusal(.orgData, .data(.paste, in: "P") { ($0.selection, $0.length) = (.clipboard, 5) }),
    Refusal(.downloadBlocked, .data(.download, url: "https://docs.contoso.com/a.pdf")),
    Refusal(.incomingDisallowed, .data(.upload, url: "https://docs.contoso.com/a.pdf")),
    Refusal(.outgoingDisallowed, .data(.save, at: .box, of: Name.work, path: "/home/ada/plan.odt")),
    Refusal(.incomingDisallowed, .data(.open, at: .box, path: "/home/ada/plan.odt")),
    Refusal(.incomingDisallowed, .data(.receive, with: Name.editor)),
    Refusal(.outgoingDisallowed, .data(.share, with: Name.notes, as: Name.work)),
    Refusal(.printBlocked, .data(.print, path: "/home/ada/plan.pdf")),
    Refusal(.captureBlocked, .data(.capture) { $0.capture = .screenshot }),
    Refusal(.notificationBlocked, .data(.notify)),
    Refusal(.externalBlocked, .data(.openURL, url: "https://news.example/")),
    Refusal(.channelBlocked, .data(.exchange) { $0.channel = .contacts }),
    Refusal(.indexBlocked, .data(.index)),
  ]
}

/// What becomes of a refusal.
private enum Enforcement: CaseIterable {
  case enforced, protectionMonitored, appMonitored, warned

  func apply(to policy: inout ExamplePolicy) {
    switch self {
    case .enforced: break
    case .protectionMonitored: policy.protection.monitoredUntil = 100
    case .appMonitored: policy.app.monitoredUntil = 100
    case .warned: policy.protection.warn = .warnable
    }
  }

  func answer(to refusal: Situation.Refusal) -> Answer {
    switch self {
    case .enforced: Answer(.block, refusal.reason)
    // A URL that nothing restricts is handed to the program that opens it.
    case .protectionMonitored, .appMonitored:
      Answer(refusal.event.kind == .openURL ? .handOff : .allow, .monitored)
    case .warned: Answer(.warn, refusal.reason)
    }
  }
}

extension Protection {
  fileprivate mutating func forbidEverything() {
    webTransfer = .block
    clipboard.level = .blocked
    (send, receive) = (.none, .none)
    (save, open) = (LocationSettings(allowed: false), LocationSettings(allowed: false))
    (printing, screenCapture, indexing, contacts) = (.block, .block, .block, .block)
    notifications = .block
  }
}
