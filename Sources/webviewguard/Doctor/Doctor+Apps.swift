internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardService
internal import PolicyEngine
internal import PolicyFiles
internal import PolicyTools

/// What apps ask about, from the newest file of the log: one that never asks about a kind of event does not guard it.
extension Doctor {
  var appFindings: [Finding] {
    let file = options.logPlace(settings) + "/" + LogNames.active
    guard access(file, R_OK) == 0, let coverage = try? EventCoverage.read([file]) else { return [] }
    let protections = loaded.policy?.protections ?? []
    return coverage.apps.filter { $0.total > 0 }.map { app in
      let careless = AppCoverage.ofEveryView.filter { kind in
        app.asked[kind] == nil && protections.contains { $0.restricts(kind) }
      }
      let never = "\(app.app) asked \(app.total) times, and never about "
      guard app.total >= AppCoverage.enough, app.onlyCounted == 0, !careless.isEmpty else {
        let rest = app.never.map(\.name).joined(separator: ", ")
        return .ok("apps", rest.isEmpty ? "\(app.app) asks about every kind of event" : never + rest)
      }
      return .warning(
        "apps", never + careless.map(\.name).joined(separator: ", ") + ": that is not guarded",
        "let the app ask before each of them; `webviewguard log report --coverage` tells all that it leaves out")
    }
  }
}
