private import Glibc

/// SplitMix64: a small generator whose whole course is one seed.
///
/// The seed is the number in the environment variable `WEBVIEWGUARD_SEED`, else a fixed one, so that a run can be
/// repeated. A test that fails says which: `#expect(…, "\(generator.note)")`.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64 = SeededGenerator.chosenSeed) {
    self.seed = seed
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// How to repeat the run.
  package var note: String { "repeat with WEBVIEWGUARD_SEED=\(seed)" }

  /// True once in `count` times.
  package mutating func oneIn(_ count: UInt64) -> Bool { next() % count == 0 }

  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// One of the values; a list that is written down is never empty, and of an empty one there is nothing to take.
  package mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

  /// One of the values, or nil once in `count` times.
  package mutating func one<Value>(of values: [Value], orNilOneIn count: UInt64) -> Value? {
    oneIn(count) || values.isEmpty ? nil : one(of: values)
  }

  /// The seed of this run.
  package static let chosenSeed: UInt64 =
    getenv("WEBVIEWGUARD_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_121
}
