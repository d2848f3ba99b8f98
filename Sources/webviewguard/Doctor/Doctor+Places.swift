internal import Glibc
internal import GuardService
internal import PolicyFiles

/// Who could write what the daemon relies on: the configuration is the policy, the log is what happened.
extension Doctor {
  var placeFindings: [Finding] {
    let log = options.logPlace(settings)
    var places = options.roots + options.roots.flatMap { [$0 + "/policy.d", $0 + "/rules"] } + loaded.files
    places += [log, log + "/decisions.jsonl", log + "/pseudonym.key"]
    places += options.state.map { [$0.directory, $0.file] } ?? []
    let findings = places.compactMap(placeFinding) + [secretFinding(log + "/pseudonym.key")].compactMap(\.self)
    guard findings.isEmpty else { return findings }
    return [.ok("places", "only root and uid \(user) can write configuration, log and state")]
  }

  /// Nil for a place that only root and the daemon's user can write, and for one that is not there.
  private func placeFinding(_ path: String) -> Finding? {
    var about = stat()
    guard stat(path, &about) == 0 else { return nil }
    guard about.st_uid == 0 || about.st_uid == user else {
      return .problem(
        "places", "`\(path)` belongs to uid \(about.st_uid), who could change it", "run `chown root \(path)`")
    }
    // A group of the user alone is the user.
    let isOwnGroup = user != 0 && about.st_gid == UserAccount.gid(of: user)
    guard about.st_mode & 0o002 == 0, about.st_mode & 0o020 == 0 || isOwnGroup else {
      return .problem(
        "places", "`\(path)` has mode \(Self.octal(about.st_mode)): others may write it", "run `chmod go-w \(path)`")
    }
    return nil
  }

  /// Who reads the key finds out whose the pseudonyms in the log are.
  private func secretFinding(_ path: String) -> Finding? {
    var about = stat()
    guard stat(path, &about) == 0, about.st_mode & 0o077 != 0 else { return nil }
    return .problem(
      "places", "`\(path)` has mode \(Self.octal(about.st_mode)), but it is a secret", "run `chmod 0600 \(path)`")
  }
}
