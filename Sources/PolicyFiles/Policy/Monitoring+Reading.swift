extension YAMLDecoder where Value == Int64 {
  /// The end of a time of monitoring, in seconds since 1970: `{ until: 2027-01-31 }` is the end of that day.
  ///
  /// Without an end it is an error: monitoring alone protects nothing, and is easily forgotten.
  static var monitoring: Self {
    .mapping { reader in reader.required("until", PointInTime.decoder(day: .end)) }
  }
}
