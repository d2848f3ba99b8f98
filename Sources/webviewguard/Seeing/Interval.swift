internal import ArgumentParser
internal import Glibc
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// A time span as a person writes it: `15s`, `5m`, `1h`.
struct Interval: Sendable, Hashable {
  let seconds: Int

  private static let units: [(suffix: Character, seconds: Int)] = [("s", 1), ("m", 60), ("h", 3600)]

  static func read(_ text: String) throws -> Interval {
    let unit = units.first { $0.suffix == text.last }
    guard let unit, let number = Int(text.dropLast()), (1...100_000).contains(number) else {
      throw ValidationError("`\(text.escapedForDisplay)` is no interval; write it as 15s, 5m or 1h")
    }
    return Interval(seconds: number * unit.seconds)
  }

  /// Sleeps that long; a signal ends the program as ever.
  func wait() throws(CommandFailure) {
    var rest = timespec(tv_sec: seconds, tv_nsec: 0)
    var asked = rest
    while nanosleep(&asked, &rest) != 0 {
      guard errno == EINTR else { throw CommandFailure("cannot wait: \(SystemWords.last)") }
      asked = rest
    }
  }
}
