internal import GuardModel

extension ClipID {
  /// The id in these bytes, spelled exactly as in `text`; nil for anything else. Makes no String.
  ///
  ///     ClipID("clip-000000000000002a-7".utf8.span)     // number 7 of epoch 42
  ///     ClipID("clip-000000000000002A-7".utf8.span)     // nil
  ///     ClipID("clip-000000000000002a-07".utf8.span)    // nil
  init?(_ bytes: Span<UInt8>) {
    guard let read = epochNumber(bytes, "clip-") else { return nil }
    self.init(epoch: read.epoch, number: read.number)
  }
}

extension ProposalID {
  /// Reads these bytes as `ClipID` does.
  init?(_ bytes: Span<UInt8>) {
    guard let read = epochNumber(bytes, "proposal-") else { return nil }
    self.init(epoch: read.epoch, number: read.number)
  }
}

private func epochNumber(_ bytes: Span<UInt8>, _ prefix: StaticString) -> (epoch: UInt64, number: UInt64)? {
  let dash = prefix.utf8CodeUnitCount + 16
  guard bytes.count > dash + 1, bytes[dash] == UInt8(ascii: "-") else { return nil }
  for index in 0..<prefix.utf8CodeUnitCount {
    guard prefix.withUTF8Buffer({ $0[index] }) == bytes[index] else { return nil }
  }
  guard let epoch = lowerCaseHex(bytes.extracting(prefix.utf8CodeUnitCount..<dash)) else { return nil }
  guard let number = decimal(bytes.extracting((dash + 1)..<bytes.count)) else { return nil }
  return (epoch, number)
}

/// At most sixteen digits, so that nothing overflows.
private func lowerCaseHex(_ digits: Span<UInt8>) -> UInt64? {
  var value: UInt64 = 0
  for index in digits.indices {
    let byte = digits[index]
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
    default: return nil
    }
  }
  return value
}

/// A decimal number without needless zeros; nil when it does not fit.
func decimal(_ digits: Span<UInt8>) -> UInt64? {
  guard digits.count > 0, digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
  var value: UInt64 = 0
  for index in digits.indices {
    let byte = digits[index]
    guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
    let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
    let (sum, overflow) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
    guard !tooLarge, !overflow else { return nil }
    value = sum
  }
  return value
}
