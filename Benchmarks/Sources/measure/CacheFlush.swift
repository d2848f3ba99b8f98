/// Drives what was measured out of all caches by walking through memory that is larger than they are.
struct CacheFlush {
  /// Twice the largest cache of the machines this was made for.
  private var memory = [UInt8](repeating: 1, count: 64 << 20)
  private static let line = 64

  mutating func run() {
    for index in stride(from: 0, to: memory.count, by: Self.line) { memory[index] &+= 1 }
  }
}
