internal import Bytes
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
  guard let epoch = UInt64(lowerCaseHex: bytes.extracting(prefix.utf8CodeUnitCount..<dash)) else { return nil }
  guard let number = UInt64(decimal: bytes.extracting((dash + 1)..<bytes.count)) else { return nil }
  return (epoch, number)
}
