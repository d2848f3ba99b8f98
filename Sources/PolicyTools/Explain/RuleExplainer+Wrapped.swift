internal import URLRules
internal import URLStandard

extension RuleExplainer {
  /// The address of another page that a URL carries in its path or query, as translators and redirectors do; nil when
  /// none is found.
  ///
  ///     https://translate.example/t?u=https%3A%2F%2Fwww.evil.example%2F   ->   https://www.evil.example/
  ///
  /// Only for telling: rules judge the URL that loads, and not what it carries.
  static func wrappedAddress(in href: String) -> String? {
    guard let record = URLRecord(href), record.isWeb else { return nil }
    if let inside = EmbeddedURL.inside(record) { return inside }
    let text = (record.pathname + record.search).decodedOnce
    for scheme in ["https://", "http://"] {
      guard let start = text.firstRange(of: scheme)?.lowerBound else { continue }
      let address = text[start...].prefix { $0 != "&" && $0 != ";" && $0 != " " && $0 != "\"" }
      if let inner = URLRecord(String(address)), !inner.hostname.isEmpty { return inner.href }
    }
    return nil
  }
}

extension String {
  /// The text with percent-encoded bytes decoded, once.
  fileprivate var decodedOnce: String {
    let bytes = Array(utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = Self.byte(bytes[index + 1], bytes[index + 2])
      {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    let digits = [high, low].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return digits.count == 2 ? UInt8(digits[0] << 4 | digits[1]) : nil
  }
}
