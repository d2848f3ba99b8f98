internal import Glibc
internal import GuardService

/// What outlives the daemon.
extension Doctor {
  var stateFindings: [Finding] {
    let area = "state"
    guard let place = options.state else {
      return [.warning(area, "there is no place for it: this user has no home", "say `--state-dir` to `serve`")]
    }
    return [fileFinding(area, place), asideFinding(area, place)].compactMap(\.self)
  }

  private func fileFinding(_ area: String, _ place: StatePlace) -> Finding {
    switch StateInspection(of: place) {
    case .missing: .ok(area, "`\(place.file)` holds nothing yet")
    case .sound(let bytes): .ok(area, "\(place.file): it is whole, \(Self.megabytes(bytes))")
    case .unreadable(let words): .warning(area, words, "run this as root or as the daemon's user")
    case .unusable(let words):
      .problem(
        area, "`\(place.file)` cannot be used: \(words)",
        "restart the daemon: it sets the file aside, and every clip counts as an unknown managed account's until the next copy"
      )
    }
  }

  private func asideFinding(_ area: String, _ place: StatePlace) -> Finding? {
    guard let aside = place.setAside.last else { return nil }
    return .warning(
      area, "an earlier state could not be used, and lies at `\(aside)`",
      "find out why (a disk that fails, a file put back from a copy), then remove it")
  }
}
