/// What a course of things is drawn from: a generator, or the bytes of a fuzzer's input.
package protocol Choices {
  /// A number from 0 to below the bound; 0 where the bound is below 1.
  mutating func below(_ bound: Int) -> Int
}

extension Choices {
  /// True once in `count` times.
  package mutating func once(in count: Int) -> Bool { below(count) == 0 }

  /// One of the values, of which there is one at least.
  package mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }
}

extension SeededGenerator: Choices {}
