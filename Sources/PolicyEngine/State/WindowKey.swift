/// A window's name in eight bytes: the only thing kept of a window that shows an account, however many there are.
package enum WindowKey {
  /// FNV-1a. Two names with one key count as one window, which only ever asks for more.
  package static func key(of name: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in name.indices { hash = (hash ^ UInt64(name[index])) &* 0x100_0000_01B3 }
    return hash
  }
}
