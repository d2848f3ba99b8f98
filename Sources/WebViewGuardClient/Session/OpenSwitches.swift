internal import GuardModel

/// The switches of identity that the daemon asked for, and that nobody answered yet.
///
/// After `success` the identity is in force without `SetIdentity`. It has to be remembered all the same, or a reconnect
/// would bring back the account that was shown before.
struct OpenSwitches: Sendable {
  struct Asked: Sendable {
    var level: GuardClient.IdentityTarget
    var shown: ShownAccounts
  }

  private var open: [(request: String, asked: Asked)] = []

  /// The daemon has 16 open at most.
  static let capacity = 32

  /// What decisions ask for: in the window of the viewer, or in the process where it has none.
  mutating func note(_ reply: [String: GuardValue], _ viewers: [String?], _ registrations: Registrations) {
    let decisions = reply["decision"].map { [$0] } ?? reply["decisions"]?.array ?? []
    for (decision, viewer) in zip(decisions, viewers) {
      guard let request = decision["request"]?.string, let account = decision["switchTo"]?.string else { continue }
      note(request, account: account, window: viewer.flatMap { registrations.window(of: $0) })
    }
  }

  /// What news ask for.
  mutating func note(_ request: String, account: String, window: String?) {
    _ = end(request)
    if open.count >= Self.capacity { open.removeFirst() }
    open.append((request, Asked(level: window.map { .window($0) } ?? .process, shown: .one(account))))
  }

  /// The request is answered; returns what it asked for.
  mutating func end(_ request: String) -> Asked? {
    guard let index = open.firstIndex(where: { $0.request == request }) else { return nil }
    return open.remove(at: index).asked
  }
}
