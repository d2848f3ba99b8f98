/// Times as files, the log and people write them: RFC 3339, UTC, with milliseconds.
///
/// Milliseconds since 1970 in, `2026-11-21T02:39:29.000Z` out. There is no clock here.
package enum RFC3339 {
  /// 9999-12-31T23:59:59.999Z: a later time has no four-digit year, and is written as this one.
  package static let latest: UInt64 = 253_402_300_799_999

  /// Appends the 24 bytes of a time.
  package static func append(_ milliseconds: UInt64, to bytes: inout [UInt8]) {
    let time = Int(min(milliseconds, latest))
    let date = civilDate(day: time / 86_400_000)
    let second = time / 1000 % 86_400
    appendDigits(date.year, 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    appendDigits(date.month, 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    appendDigits(date.day, 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    appendDigits(second / 3600, 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    appendDigits(second / 60 % 60, 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    appendDigits(second % 60, 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    appendDigits(time % 1000, 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// The text of a time: `RFC3339.text(0)` is `1970-01-01T00:00:00.000Z`.
  package static func text(_ milliseconds: UInt64) -> String {
    var bytes: [UInt8] = []
    append(milliseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func appendDigits(_ value: Int, _ width: Int, to bytes: inout [UInt8]) {
    var scale = 1
    for _ in 1..<width { scale *= 10 }
    while scale > 0 {
      bytes.append(UInt8(truncatingIfNeeded: 48 + value / scale % 10))
      scale /= 10
    }
  }

  /// The Gregorian date of a day counted from 1970-01-01; years run from March, so that the leap day comes last.
  private static func civilDate(day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}
