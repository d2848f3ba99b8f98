package import TestSupport

/// Turns the bytes of an input into choices, one after the other. When they are used up every choice is the first one.
///
/// A changed byte changes one choice, so that libFuzzer's mutations become mutations of what is built.
package struct ByteReader: Choices {
  private var bytes: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  package var isAtEnd: Bool { bytes.isEmpty }

  package mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  package mutating func below(_ bound: Int) -> Int { Int(byte()) % max(1, bound) }

  package mutating func flag() -> Bool { byte() & 1 == 1 }

  /// One of the values, of which there is one at least.
  package mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

  /// The text up to the next newline.
  package mutating func text() -> String {
    let line = bytes.prefix { $0 != 0x0A }
    bytes = bytes[line.endIndex...].dropFirst()
    return String(decoding: line, as: UTF8.self)
  }

  /// A generator whose whole course two bytes choose: for values that others know how to draw.
  package mutating func generator() -> SeededGenerator {
    SeededGenerator(seed: UInt64(byte()) << 8 | UInt64(byte()))
  }
}
