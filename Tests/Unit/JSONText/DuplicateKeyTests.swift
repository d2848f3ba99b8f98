import Glibc
import JSONText
import Testing

@Suite("Duplicate keys")
struct DuplicateKeyTests {
  @Test(
    "are refused wherever they are",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"":1,"":2}"#, #"{"a":1,"b":2,"a":3}"#, #"[{"a":1,"a":2}]"#, #"{"x":{"a":1,"a":2}}"#,
      #"{"x":{"y":[1,{"a":{},"b":1.5,"a":[]}]}}"#, #"{"a":1,"\u0061":2}"#, #"{"é":1,"\u00e9":2}"#,
      #"{"😀":1,"\ud83d\ude00":2}"#, #"{"a/b":1,"a\/b":2}"#, #"{"abcd":1,"abcd":2}"#, #"{"abcdefgh":1,"abcdefgh":2}"#,
      #"{"a\u0000b":1,"a\u0000b":2}"#, #"{"a":{"b":[[],{}]},"c":-1,"a":18446744073709551615}"#,
    ])
  func areRefused(text: String) {
    #expect(throws: JSONError.duplicateKey) { try JSONTree(parsing: text) }
  }

  @Test(
    "are not seen where there are none",
    arguments: [
      #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":1,"A":2}"#, #"{"a":"b","b":"a"}"#, #"{"a":1,"":2}"#,
      #"{"abc":1,"abcd":2,"abcde":3,"abcdf":4}"#, #"{"a":1,"a\u0000":2,"a\u0000\u0000":3}"#,
      #"{"e\u0301":1,"\u00e9":2}"#,
      #"{"aaaaaaaa1":1,"aaaaaaaa2":1}"#, #"{"a":["a","a"],"b":"a"}"#,
    ])
  func areNotSeen(text: String) throws {
    _ = try JSONTree(parsing: text)
  }

  /// Objects of up to 16 members are searched one way, larger ones another: every pair of places on both sides.
  @Test("are found between any two places", arguments: [2, 15, 16, 17, 18, 40])
  func areFoundBetweenAnyTwoPlaces(count: Int) throws {
    let prefix = count % 2 == 0 ? "key" : "a longer key "
    for first in 0..<count {
      for second in first + 1..<count {
        let keys = (0..<count).map { prefix + String($0 == second ? first : $0) }
        #expect(throws: JSONError.duplicateKey) { try JSONTree(parsing: Self.object(keys)) }
      }
    }
    let distinct = Self.object((0..<count).map { prefix + String($0) })
    #expect(try JSONTree(parsing: distinct).text() == distinct)
  }

  /// From 1,000 keys to 32,000 a loop over all pairs takes 1,000 times as long, sorting about 50 times. The bound leaves
  /// room for caches and branch prediction, and the clock counts only this thread's time.
  @Test("cost little more than their number", arguments: ["", "a common beginning "])
  func costLittleMoreThanTheirNumber(prefix: String) throws {
    let few = try Self.processorTime(keys: 1_000, prefix: prefix)
    let many = try Self.processorTime(keys: 32_000, prefix: prefix)
    #expect(many < few * 400)
  }

  private static func processorTime(keys: Int, prefix: String) throws -> Double {
    let text = Array(object((0..<keys).map { "\(prefix)\($0 * 7919 % keys)" }).utf8)
    var parser = JSONParser(maximumLength: text.count)
    var shortest = Double.infinity
    for _ in 0..<5 {
      let start = processorTime()
      let count = try parser.withRoot(of: text.span) { $0.count }
      shortest = min(shortest, processorTime() - start)
      #expect(count == keys)
    }
    return shortest
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test("are found among 30,000")
  func areFoundAmong30000() {
    let keys = (0..<30_000).map(String.init)
    #expect(throws: JSONError.duplicateKey) { try JSONTree(parsing: Self.object(keys + ["29999"])) }
    #expect(throws: JSONError.duplicateKey) { try JSONTree(parsing: Self.object(["29999"] + keys)) }
  }

  private static func object(_ keys: [String]) -> String {
    "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
  }
}
