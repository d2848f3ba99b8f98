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

extension RFC3339 {
  /// The milliseconds since 1970 that a text names; nil when it names no time.
  ///
  /// Reads the output of `append`, and values that people type after `--since`: `2026-11-21`, `2026-11-21T02:39:29Z`,
  /// `2026-11-21 02:39:29.5+01:00`. Digits behind the milliseconds are ignored, a date alone means its midnight in UTC,
  /// and times before 1970 are nil. A leap second counts as the second after it (RFC 3339, section 5.7).
  package static func milliseconds(_ text: String) -> UInt64? {
    var reader = DigitReader(bytes: Array(text.utf8))
    guard let day = reader.day() else { return nil }
    if reader.isAtEnd { return UInt64(exactly: day * 86_400_000) }
    guard reader.skip("T") || reader.skip("t") || reader.skip(" ") else { return nil }
    guard let time = reader.timeOfDay(), let offset = reader.offset(), reader.isAtEnd else { return nil }
    return UInt64(exactly: day * 86_400_000 + time - offset * 60_000)
  }
}

/// Reads the numbers of a date from left to right.
private struct DigitReader {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  /// Exactly `width` digits within `range`.
  mutating func number(_ width: Int, _ range: ClosedRange<Int>) -> Int? {
    guard bytes.count - position >= width else { return nil }
    var value = 0
    for index in position..<position + width {
      guard (48...57).contains(bytes[index]) else { return nil }
      value = value * 10 + Int(bytes[index] - 48)
    }
    guard range.contains(value) else { return nil }
    position += width
    return value
  }

  /// A date as the number of its day from 1970-01-01; years before 1970 come out negative.
  mutating func day() -> Int? {
    guard let year = number(4, 0...9999), skip("-"), let month = number(2, 1...12), skip("-") else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    guard let day = number(2, 1...length) else { return nil }
    let marchYear = month <= 2 ? year + 399 : year + 400
    let marchMonth = month <= 2 ? month + 9 : month - 3
    let yearOfEra = marchYear % 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * marchMonth + 2) / 5 + day - 1
    return marchYear / 400 * 146_097 + dayOfEra - 719_468 - 146_097
  }

  /// A time of day in milliseconds; digits finer than that are read and forgotten.
  mutating func timeOfDay() -> Int? {
    guard let hour = number(2, 0...23), skip(":"), let minute = number(2, 0...59), skip(":") else { return nil }
    guard let second = number(2, 0...60) else { return nil }
    var milliseconds = (hour * 3600 + minute * 60 + second) * 1000
    guard skip(".") else { return milliseconds }
    guard var digit = number(1, 0...9) else { return nil }
    var weight = 100
    while true {
      milliseconds += digit * weight
      weight /= 10
      guard let next = number(1, 0...9) else { return milliseconds }
      digit = next
    }
  }

  /// The minutes that a local time is ahead of UTC; no offset at all is no time.
  mutating func offset() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let isBehind = skip("-")
    guard isBehind || skip("+") else { return nil }
    guard let hour = number(2, 0...23), skip(":"), let minute = number(2, 0...59) else { return nil }
    return (isBehind ? -1 : 1) * (hour * 60 + minute)
  }
}
