import TestSupport

/// Real URLs and the random changes made to them.
enum URLCorpus {
  /// The seed of every random test of this suite; printed with each run, so that a failure can be repeated.
  static let seed: UInt64 = 20_261_121

  /// 128,725 distinct URLs.
  static func urls() throws -> [[UInt8]] { try lines(of: "urls/mixed-shuffled.txt.gz") }

  /// 43,415 distinct `file:` URLs.
  static func fileURLs() throws -> [[UInt8]] { try lines(of: "urls/node-files.txt.gz") }

  private static func lines(of path: String) throws -> [[UInt8]] {
    try SharedData.bytes(path).split(separator: UInt8(ascii: "\n")).map { Array($0) }
  }

  /// The inputs of the web platform tests: short, and each with something odd in it.
  static func oddities() throws -> [[UInt8]] {
    try SharedData.cases("wpt/url/urltestdata.json").compactMap { $0["input"].map { Array($0.utf8) } }
  }
}
