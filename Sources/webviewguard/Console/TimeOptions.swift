internal import ArgumentParser
internal import Glibc
internal import GuardModel

/// The time for asking rules, for verbs without a daemon: rules expire.
struct TimeOptions: ParsableArguments {
  @Option(help: "The day (UTC) or time to judge at, as in 2027-01-31 or 2027-01-31T18:00:00Z; left out, now.")
  var at: String?

  /// In seconds since 1970.
  var seconds: Int64 {
    get throws {
      guard let at else { return Self.now }
      guard let milliseconds = RFC3339.milliseconds(at) else {
        throw ValidationError("`\(at)` is not a day or a time; write it as in 2027-01-31 or 2027-01-31T18:00:00Z")
      }
      return Int64(milliseconds / 1000)
    }
  }

  /// The system's time, in seconds since 1970.
  static var now: Int64 { Int64(time(nil)) }
}
