internal import ArgumentParser

/// A span of time as a person writes it: a number and a unit.
///
///     Duration("2h")?.seconds    // 7200
///     Duration("2")              // nil: two of what?
struct Duration: ExpressibleByArgument {
  let seconds: Int64

  init?(argument: String) { self.init(argument) }

  init?(_ text: String) {
    guard let unit = text.last, let factor = Self.units[unit] else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(digits)
    else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, seconds > 0 else { return nil }
    self.seconds = seconds
  }

  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
}
