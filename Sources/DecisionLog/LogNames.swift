/// The names of the log's files.
///
///     LogNames.closed(firstSeq: 7)                               // decisions-00000000000000000007.jsonl
///     LogNames.firstSeq(of: "decisions-00000000000000000007.jsonl")    // 7
///
/// The names of closed files sort as their records do.
package enum LogNames {
  /// The file that grows.
  package static let active = "decisions.jsonl"
  /// Locked by the daemon that writes.
  package static let lock = "decisions.lock"
  /// The key of the account pseudonyms.
  package static let key = "pseudonym.key"

  private static let digits = 20
  private static let prefix = "decisions-"
  private static let suffix = ".jsonl"

  /// The name of a file that is complete, by the number of its first record.
  package static func closed(firstSeq: UInt64) -> String {
    let number = String(firstSeq)
    return prefix + String(repeating: "0", count: digits - number.utf8.count) + number + suffix
  }

  /// The number in the name of a closed file; nil for any other name.
  package static func firstSeq(of name: String) -> UInt64? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let number = name.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard number.utf8.count == digits, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(number)
  }

  /// Whether a name is that of a file with records.
  package static func isLog(_ name: String) -> Bool { name == active || firstSeq(of: name) != nil }

  /// The names with records among those of a directory, in the order of their records; the active one last.
  package static func inOrder(_ names: [String]) -> [String] {
    names.filter { firstSeq(of: $0) != nil }.sorted() + names.filter { $0 == active }
  }
}
