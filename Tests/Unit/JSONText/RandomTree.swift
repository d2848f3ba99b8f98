import JSONText
import TestSupport

extension JSONTree {
  /// A tree of up to five levels, biased to what breaks readers and writers.
  static func random(using generator: inout SeededGenerator, depth: Int = 0) -> JSONTree {
    switch Int.random(in: 0..<(depth < 5 ? 9 : 6), using: &generator) {
    case 0: .null
    case 1: .bool(Bool.random(using: &generator))
    case 2: .int(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
    case 3: .uint(UInt64.random(in: UInt64(Int64.max) + 1...UInt64.max, using: &generator))
    case 4: randomDouble(using: &generator)
    case 5: .string(.random(using: &generator))
    case 6: randomObject(using: &generator, depth: depth)
    default: randomArray(using: &generator, depth: depth)
    }
  }

  private static func randomDouble(using generator: inout SeededGenerator) -> JSONTree {
    let number = Double(bitPattern: generator.next())
    return .double(number.isFinite ? number : 0.5)
  }

  private static func randomArray(using generator: inout SeededGenerator, depth: Int) -> JSONTree {
    let count = Int.random(in: 0...6, using: &generator)
    return .array((0..<count).map { _ in random(using: &generator, depth: depth + 1) })
  }

  /// The number makes the keys differ, and up to 40 members make both ways of looking for duplicates run.
  private static func randomObject(using generator: inout SeededGenerator, depth: Int) -> JSONTree {
    let count = Int.random(in: 0...(depth == 0 ? 40 : 5), using: &generator)
    return .object(
      (0..<count).map { number in
        Member(String.random(using: &generator) + "\(number)", random(using: &generator, depth: depth + 1))
      })
  }
}

extension String {
  /// Up to 20 scalars: quotes, controls, bidirectional marks, other scripts and planes among them.
  static func random(using generator: inout SeededGenerator) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      let ranges: [ClosedRange<UInt32>] = [
        0x20...0x7E, 0x20...0x7E, 0...0x1F, 0x22...0x22, 0x5C...0x5C, 0x7F...0x9F, 0xA0...0x7FF, 0x2000...0x2070,
        0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
      ]
      let range = ranges[Int.random(in: ranges.indices, using: &generator)]
      scalars.append(Unicode.Scalar(UInt32.random(in: range, using: &generator)) ?? "x")
    }
    return String(scalars)
  }
}
