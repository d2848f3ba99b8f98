import DecisionLog
import GuardModel
import Testing

/// 2026-11-21T02:39:29.123Z.
let testTime: UInt64 = 1_795_228_769_123

/// The key of all pseudonyms in these tests.
let testKey = Array("a key for the documentation only".utf8)

extension LogEncoder {
  /// An encoder under the test key.
  static func test(
    continuing head: LogHead = .start, redaction: RedactionSettings = RedactionSettings(),
    accounts: AccountNaming = .pseudonym
  ) throws -> LogEncoder {
    let pseudonyms = try #require(AccountPseudonyms(key: testKey))
    return LogEncoder(continuing: head, pseudonyms: pseudonyms, redaction: redaction, accounts: accounts)
  }
}

extension URLText {
  /// A URL put together from its parts.
  init(
    _ prefix: String, credentials: String = "", host: String = "", path: String = "", query: String = "",
    fragment: String = ""
  ) {
    var bytes = Array(prefix.utf8)
    func add(_ text: String) -> Range<Int> {
      let start = bytes.count
      bytes += text.utf8
      return start..<bytes.count
    }
    let ranges = [credentials, host, path, query, fragment].map(add)
    self.init(
      bytes: bytes, credentials: ranges[0], host: ranges[1], path: ranges[2], query: ranges[3], fragment: ranges[4])
  }
}

/// Lines without their links, as they stand in a file when they are sealed behind `head`.
func sealed(_ unsealed: [UInt8], behind head: LogHead = .start) -> (bytes: [UInt8], head: LogHead) {
  var chain = Chain(continuing: head)
  var batch = LogBatch()
  for line in unsealed.split(separator: UInt8(ascii: "\n")) { batch.add { $0 += line + [UInt8(ascii: "\n")] } }
  chain.seal(&batch, through: batch.bytes.count)
  return (batch.bytes, chain.head)
}

/// A log of so many `repeats` records.
func smallLog(_ count: Int, behind head: LogHead = .start) throws -> (lines: [[UInt8]], head: LogHead) {
  var encoder = try LogEncoder.test(continuing: head)
  var unsealed: [UInt8] = []
  for index in 0..<count {
    encoder.encodeRepeats(of: "d-\(index)", count: 2, at: testTime + UInt64(index), into: &unsealed)
  }
  let log = sealed(unsealed, behind: head)
  return (log.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init), log.head)
}

/// The bytes of a file that holds these lines.
func file(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

/// Verifies files, each read in pieces of so many bytes.
func verify(
  _ files: [[UInt8]], pieces: Int = 64, expecting head: LogHead? = nil, isPart: Bool = false
) -> LogVerification {
  var verifier = LogVerifier(expecting: head, isPart: isPart)
  for file in files {
    verifier.beginFile()
    for start in stride(from: 0, to: file.count, by: pieces) {
      verifier.read(file.span.extracting(start..<min(start + pieces, file.count)))
    }
  }
  return verifier.finish()
}

/// The text of bytes that are valid UTF-8.
func text(_ bytes: [UInt8]) throws -> String { try #require(String(validating: bytes, as: UTF8.self)) }

/// The record that a line holds.
func readRecord(_ line: String) -> LogRecord? {
  var reader = LogRecordReader()
  return reader.read(line.utf8.span)
}

/// The end of a file that starts behind `before`; of its last `count` bytes, when they are not all of it.
func logTail(_ bytes: [UInt8], last count: Int? = nil, behind before: LogHead = .start) -> LogTail? {
  LogTail(of: bytes.span.extracting(last: count ?? bytes.count), isWholeFile: count == nil, continuing: before)
}
