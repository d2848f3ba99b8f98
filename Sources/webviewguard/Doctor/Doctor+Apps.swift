internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardService
internal import Platform
internal import PolicyEngine
internal import PolicyFiles
internal import PolicyTools

/// What apps ask about, from the newest files of the log: one that never asks about a kind of event does not guard it.
extension Doctor {
  var appFindings: [Finding] {
    guard let coverage = try? EventCoverage.read(newestLogFiles) else { return [] }
    let protections = loaded.policy?.protections ?? []
    return coverage.apps.filter { $0.total > 0 }.flatMap { app in
      let careless = AppCoverage.ofEveryView.filter { kind in
        app.asked[kind] == nil && protections.contains { $0.restricts(kind) }
      }
      return [finding(of: app, careless)] + carelessPersons(app, protections)
    }
  }

  /// - Parameter careless: the kinds of event that it never asks about though the policy is about them.
  private func finding(of app: AppCoverage, _ careless: [EventKind]) -> Finding {
    let never = "\(app.app) asked \(app.total) times, and never about "
    guard app.total >= AppCoverage.enough, app.onlyCounted == 0, !careless.isEmpty else {
      let rest = app.never.map(\.name).joined(separator: ", ")
      return .ok("apps", rest.isEmpty ? "\(app.app) asks about every kind of event" : never + rest)
    }
    return .warning(
      "apps", never + careless.map(\.name).joined(separator: ", ") + ": that is not guarded",
      "let the app ask before each of them; `webviewguard log report --coverage` tells all that it leaves out")
  }

  /// Persons whose program asks much, and never about something that the same app of others asks about: it may be an older
  /// version.
  private func carelessPersons(_ app: AppCoverage, _ protections: [Protection]) -> [Finding] {
    app.persons.keys.sorted().compactMap { person in
      let total = app.persons[person]?.values.reduce(0, +) ?? 0
      let kinds = (app.lacking(person) ?? []).filter { kind in
        AppCoverage.ofEveryView.contains(kind) && protections.contains { $0.restricts(kind) }
      }
      guard total >= AppCoverage.enoughOfOne, !kinds.isEmpty else { return nil }
      return .warning(
        "apps",
        "\(app.app) of uid \(person) asked \(total) times, and never about "
          + kinds.map(\.name).joined(separator: ", ") + ", which it asks about elsewhere",
        "see whether this person runs another version of the app")
    }
  }

  /// The newest files of the log, in their order, up to a number of bytes: a file may have begun a minute ago.
  private var newestLogFiles: [String] {
    let place = options.logPlace(settings)
    var rest = Self.mostLogBytes
    let names = LogNames.inOrder((try? Directory.names(in: place)) ?? [])
    let newest = names.reversed().prefix { name in
      guard access("\(place)/\(name)", R_OK) == 0, let size = FileStatus("\(place)/\(name)")?.size else { return false }
      rest -= size
      return rest >= 0 || name == LogNames.active
    }
    return newest.reversed().map { "\(place)/\($0)" }
  }

  /// Read within a second or two.
  private static let mostLogBytes = 64 << 20
}
