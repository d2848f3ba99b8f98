public import GuardModel

extension AccountLifeState {
  /// The state of a word of the wire; `blocked` for one of a newer daemon.
  public init(word: String) { self = AccountLifeState(rawValue: word) ?? .blocked }

  /// The app may use an account in this state.
  public var mayWork: Bool { self == .enrolled || self == .unmanaged }
}

/// Comparison of account names: UPNs and object ids, without regard to the case of ASCII.
///
///     NamedAccount.key("Work@Contoso.com")    // work@contoso.com
public enum NamedAccount {
  /// The key by which names compare. For `ObjectId.TenantId`, as sign-in libraries write it, the key is the object id.
  public static func key(_ name: String) -> String {
    let bytes = Array(name.utf8)
    let isHome = bytes.count == 73 && isGUID(bytes[..<36]) && bytes[36] == UInt8(ascii: ".") && isGUID(bytes[37...])
    return String(decoding: (isHome ? bytes[..<36] : bytes[...]).map(lowered), as: UTF8.self)
  }

  /// Whether two names belong to one account. Nil names none. The texts alone do not tell whether a UPN and an object id
  /// belong together.
  public static func areSame(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return false }
    return key(one).utf8.elementsEqual(key(other).utf8)
  }

  /// 8-4-4-4-12 hexadecimal digits.
  private static func isGUID(_ bytes: ArraySlice<UInt8>) -> Bool {
    zip(bytes, 0...).allSatisfy { byte, place in
      [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : isHexadecimal(lowered(byte))
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
