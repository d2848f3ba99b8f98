internal import Digests

/// The numbers of `WVG1`, docs/sealed-data.md.
enum SealedFormat {
  static let magic: [UInt8] = [0x89, 0x57, 0x56, 0x47, 0x31, 0x0D, 0x0A, 0x1A]
  static let version: UInt8 = 1
  static let sealed = UInt8(ascii: "S")
  static let unmanaged = UInt8(ascii: "-")
  /// Bytes of magic, version, kind, exponent and flags.
  static let prefix = 16
  static let flags = 11..<prefix
  /// Places of the magic that make bytes an envelope, if only a damaged one.
  static let nearly = 5

  static let ids = 80
  static let header = 112
  static let tag = 16
  static let exponents: ClosedRange<UInt8> = 12...20
  /// Of chunks that are written.
  static let exponent: UInt8 = 16
  static let longestData = 1 << 44

  static let longestName = 1024
  static let sum = SHA256Digest.count
  /// As many bytes as a reader needs to know all of a header.
  static let longestHeader = prefix + 2 + longestName + sum

  static func prefix(_ kind: UInt8, _ exponent: UInt8) -> [UInt8] {
    magic + [version, kind, exponent] + [UInt8](repeating: 0, count: flags.count)
  }

  /// The bytes of an account's name.
  ///
  /// - Throws: 101 for a name that no account can have.
  static func name(_ account: String) throws(SealingError) -> [UInt8] {
    let name = Array(account.utf8)
    guard name.count <= longestName, !name.contains(0) else {
      throw SealingError(.invalidArguments, nil, "no account has such a name")
    }
    return name
  }

  /// The header of unmanaged data. It is a claim of its owner, which nobody can check.
  static func unmanagedHeader(_ name: [UInt8]) -> [UInt8] {
    let head = prefix(unmanaged, 0) + [UInt8(name.count >> 8), UInt8(name.count & 0xFF)] + name
    return head + SHA256.digest(of: head.span).bytes
  }
}

/// The header of sealed data. Nothing in it is true before the commitment was checked.
struct SealedHeader: Sendable, Hashable {
  let bytes: [UInt8]

  /// Bytes of a chunk; only the last may have fewer.
  var chunk: Int { 1 << Int(bytes[10]) }
  var accountID: ArraySlice<UInt8> { bytes[16..<32] }
  var keyID: ArraySlice<UInt8> { bytes[32..<48] }
  var objectID: ArraySlice<UInt8> { bytes[48..<SealedFormat.ids] }
  var commitment: ArraySlice<UInt8> { bytes[SealedFormat.ids...] }

  /// How many chunks lie in so many bytes behind the header, and the length of the last one with its tag:
  /// `chunks(in: 16)` is `(1, 16)`, for data of no bytes.
  func chunks(in length: Int) throws(SealingError) -> (count: Int, last: Int) {
    let unit = chunk + SealedFormat.tag
    let count = (length + unit - 1) / unit
    let last = length - (count - 1) * unit
    guard count > 0, last >= SealedFormat.tag, last > SealedFormat.tag || count == 1 else {
      throw .damaged("a part is missing")
    }
    guard length - count * SealedFormat.tag <= SealedFormat.longestData else { throw .damaged("it is too long") }
    return (count, last)
  }
}

/// What the beginning of data says of it.
enum DataHeader: Sendable, Hashable {
  /// Data that no writer of envelopes made.
  case foreign
  case sealed(SealedHeader)
  /// The owner's name, as somebody said, and the number of bytes before the data.
  case unmanaged(account: String, length: Int)

  /// Reads the beginning: all of the data, or `longestHeader` bytes of it.
  init(_ start: [UInt8]) throws(SealingError) {
    guard !start.isEmpty else { throw SealingError(.emptyData) }
    let magic = SealedFormat.magic
    let present = min(start.count, magic.count)
    let agreeing = (0..<present).count { start[$0] == magic[$0] }
    guard agreeing >= min(present, SealedFormat.nearly) else {
      self = .foreign
      return
    }
    guard agreeing == magic.count, start.count >= SealedFormat.prefix else {
      throw .damaged("the beginning of the header")
    }
    try Self.checkPrefix(start)
    self = try start[9] == SealedFormat.sealed ? Self.readSealed(start) : Self.readUnmanaged(start)
  }

  /// In the order of the format: a reader of a later version may know what follows the version.
  private static func checkPrefix(_ start: [UInt8]) throws(SealingError) {
    guard start[8] <= SealedFormat.version else { throw .newer("version \(start[8])") }
    let isSealed = start[9] == SealedFormat.sealed
    guard start[8] == SealedFormat.version, isSealed || start[9] == SealedFormat.unmanaged else {
      throw .damaged("the version or the kind")
    }
    guard start[SealedFormat.flags].allSatisfy({ $0 == 0 }) else { throw .newer("a flag") }
    guard isSealed ? SealedFormat.exponents.contains(start[10]) : start[10] == 0 else {
      throw .damaged("the size of the chunks")
    }
  }

  private static func readSealed(_ start: [UInt8]) throws(SealingError) -> DataHeader {
    guard start.count >= SealedFormat.header else { throw .damaged("the header was cut off") }
    return .sealed(SealedHeader(bytes: Array(start[..<SealedFormat.header])))
  }

  private static func readUnmanaged(_ start: [UInt8]) throws(SealingError) -> DataHeader {
    let text = SealedFormat.prefix + 2
    guard start.count >= text else { throw .damaged("the owner's name") }
    let length = Int(start[16]) << 8 | Int(start[17])
    let (end, whole) = (text + length, text + length + SealedFormat.sum)
    guard length <= SealedFormat.longestName, start.count >= whole,
      SHA256.digest(of: start.span.extracting(0..<end)).bytes[...] == start[end..<whole],
      !start[text..<end].contains(0), let account = String(validating: start[text..<end], as: UTF8.self)
    else { throw .damaged("the owner's name") }
    return .unmanaged(account: account, length: whole)
  }
}
