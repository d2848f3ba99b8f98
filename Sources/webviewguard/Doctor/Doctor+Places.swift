internal import Glibc
internal import GuardService
internal import Platform
internal import PolicyFiles

/// Who could write what the daemon relies on: the configuration is the policy, the log is what happened.
extension Doctor {
  var placeFindings: [Finding] {
    let check = PlaceCheck(uid: user, gid: Users.gid(ofUser: user) ?? getegid())
    let found =
      check.configurationFindings(roots: options.roots, files: loaded.files)
      + check.logFindings(in: options.logPlace(settings))
      + (options.state.map { check.stateFindings(in: $0.directory) } ?? [])
    guard found.isEmpty else {
      return found.map { .problem("places", "`\($0.path)` \($0.problem)", $0.remedy) }
    }
    return [.ok("places", "only root and uid \(user) can write configuration, log and state")]
  }
}
