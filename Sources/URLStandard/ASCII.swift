/// The ASCII bytes of the parser, by name.
enum ASCII {
  static let space = UInt8(ascii: " ")
  static let numberSign = UInt8(ascii: "#")
  static let percent = UInt8(ascii: "%")
  static let dot = UInt8(ascii: ".")
  static let slash = UInt8(ascii: "/")
  static let zero = UInt8(ascii: "0")
  static let colon = UInt8(ascii: ":")
  static let questionMark = UInt8(ascii: "?")
  static let at = UInt8(ascii: "@")
  static let openBracket = UInt8(ascii: "[")
  static let backslash = UInt8(ascii: "\\")
  static let closeBracket = UInt8(ascii: "]")
  static let bar = UInt8(ascii: "|")
  static let e = UInt8(ascii: "e")
  static let f = UInt8(ascii: "f")
  static let h = UInt8(ascii: "h")
  static let w = UInt8(ascii: "w")
  static let x = UInt8(ascii: "x")
}

extension UInt8 {
  /// True for `0` to `9`.
  var isASCIIDigit: Bool { self &- ASCII.zero < 10 }

  /// True for `a` to `z` and `A` to `Z`.
  var isASCIIAlpha: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// The letter in lower case; every other byte as it is.
  var asciiLowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

  /// The value of a hexadecimal digit in either case, else nil.
  var hexDigitValue: UInt8? {
    if isASCIIDigit { return self &- ASCII.zero }
    let letter = (self | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
  }

  /// True for tab, line feed and carriage return, which the URL parser removes wherever they stand.
  var isTabOrNewline: Bool { self == 0x09 || self == 0x0A || self == 0x0D }
}
