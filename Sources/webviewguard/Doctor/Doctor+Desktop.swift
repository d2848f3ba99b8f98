internal import GuardService
internal import PolicyEngine
internal import PolicyFiles

/// The services that `unlock: polkit` relies on: a bus, polkit with the daemon's action, and logind's facts about sessions.
extension Doctor {
  var unlockFindings: [Finding] {
    guard loaded.policy?.protections.contains(where: { $0.unlock == .polkit }) ?? false else { return [] }
    let area = "unlock"
    let found = DesktopInspection.read()
    if let words = found.bus {
      return [
        .problem(
          area, "`unlock: polkit` keeps every account locked: \(words)",
          "start the system's message bus, and install libsystemd")
      ]
    }
    return [polkitFinding(area, found), sessionFinding(area, found)]
  }

  private func polkitFinding(_ area: String, _ found: DesktopInspection) -> Finding {
    guard let words = found.polkit else { return .ok(area, "polkit can ask persons to unlock their accounts") }
    return .problem(
      area, "`unlock: polkit` keeps every account locked: polkit says \(words)",
      "install polkitd, and the package again: it brings the action `org.webviewguard.unlock`")
  }

  /// Presences that no session tells have no effect; the finding says so.
  private func sessionFinding(_ area: String, _ found: DesktopInspection) -> Finding {
    if let words = found.logind {
      return .warning(
        area, "nobody says whether somebody is there, so `recheckAfter` counts from each answer: \(words)",
        "run systemd-logind or elogind")
    }
    let told = "logind knows \(found.sessions) sessions of persons"
    guard !found.neverIdle.isEmpty else { return .ok(area, told) }
    return .ok(
      area,
      "\(told); never idle so far: \(found.neverIdle.prefix(8).joined(separator: ", ")). A desktop that does not tell when "
        + "nobody is there, or a locker that does not tell that it locks, has no effect")
  }
}
