/// The name of a timed exception: eight letters and digits, short enough to be typed.
///
///     ExceptionID.isOne("k7m2q9xw")    // true
package enum ExceptionID {
  /// Crockford's base 32, which leaves out letters that look like digits.
  private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  private static let length = 8

  /// A name that is none of those taken.
  static func make(_ isTaken: (String) -> Bool) -> String {
    var random = SystemRandomNumberGenerator()
    while true {
      let bytes = (0..<length).map { _ in digits[Int.random(in: digits.indices, using: &random)] }
      let id = String(decoding: bytes, as: UTF8.self)
      if !isTaken(id) { return id }
    }
  }

  package static func isOne(_ text: String) -> Bool {
    text.utf8.count == length && text.utf8.allSatisfy(digits.contains)
  }
}
