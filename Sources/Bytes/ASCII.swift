/// Letters and digits of ASCII, read from single bytes.
///
/// All of this module is `@inlinable public`: hot loops of other modules stand on it, and a `package` declaration is
/// never inlined into another module. The module is no product, so nobody outside sees it. Nothing here is generic.
extension UInt8 {
  /// True for `0` to `9`.
  @inlinable public var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// True for `a` to `z` and `A` to `Z`.
  @inlinable public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// The letter in lower case; every other byte as it is.
  @inlinable public var asciiLowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

  /// The value of a hexadecimal digit in either case, else nil.
  @inlinable public var hexDigitValue: UInt8? {
    if isASCIIDigit { return self &- UInt8(ascii: "0") }
    let letter = (self | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
  }

  /// The value of a hexadecimal digit in lower case, else nil.
  @inlinable public var lowerCaseHexDigitValue: UInt8? { self &- UInt8(ascii: "A") < 6 ? nil : hexDigitValue }

  /// The hexadecimal digit of a number below 16: `10` is `a`.
  @inlinable public static func lowerCaseHexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ value &- 10
  }

  /// The same in upper case: `10` is `A`.
  @inlinable public static func upperCaseHexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ value &- 10
  }
}

extension UInt64 {
  /// The number with these decimal digits; nil for needless zeros, for anything else, and for what does not fit.
  ///
  ///     UInt64(decimal: "42".utf8.span)     // 42
  ///     UInt64(decimal: "042".utf8.span)    // nil
  @inlinable public init?(decimal digits: Span<UInt8>) {
    guard digits.count > 0, digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
    var value: UInt64 = 0
    for index in digits.indices {
      guard digits[index].isASCIIDigit else { return nil }
      let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(UInt64(digits[index] &- UInt8(ascii: "0")))
      guard !tooLarge, !overflow else { return nil }
      value = sum
    }
    self = value
  }

  /// The number with these sixteen lower-case hexadecimal digits; nil for anything else: one number has one spelling.
  @inlinable public init?(lowerCaseHex digits: Span<UInt8>) {
    guard digits.count == 16 else { return nil }
    var value: UInt64 = 0
    for index in digits.indices {
      guard let digit = digits[index].lowerCaseHexDigitValue else { return nil }
      value = value << 4 | UInt64(digit)
    }
    self = value
  }
}
