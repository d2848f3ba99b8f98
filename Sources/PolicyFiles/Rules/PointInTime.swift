internal import GuardModel

/// A point in time as a rule file writes it, in seconds since 1970.
///
///     2027-01-31                   a day of UTC: its end, or its beginning
///     2027-01-31T18:00:00+01:00    RFC 3339
///
/// Trap: a time of day without `Z` or an offset is another time in every place; it is refused.
enum PointInTime {
  /// The meaning of a day without a time.
  enum DayMeans { case beginning, end }

  static func decoder(day: DayMeans) -> YAMLDecoder<Int64> {
    YAMLDecoder("a day or a time") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      if let time = seconds(text, day) { return time }
      diagnostics.error(
        .invalidTime, at: node.location, "\(text.quoted) is not a day or a time",
        hint: RFC3339.milliseconds(text + "Z") == nil
          ? "write it as in `2027-01-31` or `2027-01-31T18:00:00Z`" : "add `Z` for UTC, or an offset as in `+01:00`")
      return nil
    }
  }

  private static func seconds(_ text: String, _ day: DayMeans) -> Int64? {
    guard let milliseconds = RFC3339.milliseconds(text) else { return nil }
    let isDay = text.utf8.count == "2027-01-31".utf8.count
    return Int64(milliseconds / 1000) + (isDay && day == .end ? 86_400 : 0)
  }
}
