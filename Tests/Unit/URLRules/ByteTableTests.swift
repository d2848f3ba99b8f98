import TestSupport
import Testing
import URLRules

/// The table behaves as a dictionary does.
struct ByteTableTests {
  @Test
  func tableAndDictionaryAgree() {
    var random = SeededGenerator()
    var table = ByteTable<Int>()
    var dictionary: [[UInt8]: Int] = [:]
    for step in 0..<Effort.scaled(50_000) {
      let key = Array("key-\(random.below(200))".utf8)
      switch random.below(4) {
      case 0, 1:
        table.set(step, for: key.span)
        dictionary[key] = step
      case 2: #expect(table.remove(key.span) == dictionary.removeValue(forKey: key), "\(random.note)")
      default: #expect(table.value(for: key.span) == dictionary[key], "\(random.note)")
      }
    }
    var seen: [[UInt8]: Int] = [:]
    table.forEach { seen[$0] = $1 }
    #expect(seen == dictionary)
    #expect(table.count == dictionary.count)
    table.updateAll { _, value in value += 1 }
    for (key, value) in dictionary { #expect(table.value(for: key.span) == value + 1) }
  }

  @Test
  func theEmptyKeyIsAKey() {
    var table = ByteTable<Int>()
    let empty: [UInt8] = []
    #expect(table.value(for: empty.span) == nil)
    #expect(table.remove(empty.span) == nil)
    table.set(1, for: empty.span)
    #expect(table.value(for: empty.span) == 1)
  }
}
