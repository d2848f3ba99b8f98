extension RFC3339 {
  /// The milliseconds since 1970 that a text names; nil when it names no time.
  ///
  /// Reads what `append` writes, and what people type after `--since`: `2026-11-21`, `2026-11-21T02:39:29Z`,
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
