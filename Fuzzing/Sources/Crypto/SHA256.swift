/// Has the interface of swift-crypto's SHA-256 as far as the modules under test use it, and is no hash to rely on.
///
/// Fuzzing asks nothing of digests, and BoringSSL would take minutes to build.
package struct SHA256 {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
    for byte in bufferPointer { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  package mutating func update(data: some Sequence<UInt8>) {
    for byte in data { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  package static func hash(data: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: data)
    return hash.finalize()
  }

  package func finalize() -> [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: state >> UInt64(8 * ($0 % 8))) }
  }
}

package typealias SHA256Digest = [UInt8]
