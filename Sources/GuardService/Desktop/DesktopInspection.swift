internal import Bus
internal import Glibc
internal import GuardModel
internal import Platform
internal import PolicyEngine

/// The services that `unlock: polkit` relies on, as the machine has them. Reading them shows no dialogue.
///
///     DesktopInspection.read().polkit    // nil when polkit knows the action
package struct DesktopInspection: Sendable, Hashable {
  /// Why the system's bus cannot be asked; the rest is then unknown.
  package var bus: String?
  /// Why polkit cannot ask persons.
  package var polkit: String?
  /// Why logind says nothing of sessions.
  package var logind: String?
  /// Sessions of persons.
  package var sessions = 0
  /// The ids of sessions that never reported an idle user.
  package var neverIdle: [String] = []

  private static let patience = 5000

  /// Reads it; takes some seconds where a service hangs.
  package static func read() -> DesktopInspection {
    var found = DesktopInspection()
    do throws(BusError) {
      let bus = try Bus(.system)
      // Shows whether logind answers at all.
      try bus.subscribe(PresenceReading.news, milliseconds: patience)
      found.polkit = found.failure { () throws(BusError) in try ask(bus) }
      found.logind = found.failure { () throws(BusError) in try found.readSessions(bus) }
    } catch {
      found.bus = "\(error)"
    }
    return found
  }

  private func failure(_ step: () throws(BusError) -> Void) -> String? {
    do throws(BusError) {
      try step()
      return nil
    } catch { return "\(error)" }
  }

  /// Asks about this very process, without a dialogue: polkit answers only when it knows the action.
  private static func ask(_ bus: Bus) throws(BusError) {
    let ask = UnlockAsk(uid: geteuid(), pid: getpid(), process: nil, account: "", app: "")
    guard let call = ask.call(cancellation: nil, withDetails: false) else { throw .unsendable }
    let answer = try bus.call(call, milliseconds: patience)
    if UnlockResult(withoutDialogue: .success(answer)) == .serviceFailure { throw .malformed }
  }

  private mutating func readSessions(_ bus: Bus) throws(BusError) {
    let listed = PresenceReading.sessions(try bus.call(PresenceReading.listing, milliseconds: Self.patience))
    guard let listed else { throw .malformed }
    for session in listed {
      let answer = try bus.call(session.properties, milliseconds: Self.patience)
      guard PresenceReading.presence(answer, at: SystemClock.monotonicMicroseconds) != nil else { continue }
      sessions += 1
      guard answer[0]["IdleHint"]?.flag != true, answer[0]["IdleSinceHint"]?.number ?? 0 == 0 else { continue }
      neverIdle.append(answer[0]["Id"]?.text ?? session.path)
    }
  }
}
