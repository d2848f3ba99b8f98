package import Foundation

/// The folder of test data that is too large or not ours to commit: web platform tests, URL corpora, domain lists.
///
/// It is named by the environment variable `WEBVIEWGUARD_DATA`, else it is `../shared/data` beside the package. Where
/// it is absent the suites that need it are skipped and say so; with `CI=true` they run, and fail.
///
///     @Suite(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
package enum SharedData {
  /// True when tests that need the data should run: it is there, or this is CI, where its absence is a failure.
  package static let isExpected = isPresent || environment("CI") == "true"

  /// What a skipped suite says.
  package static let absence = "skipped: no test data at `\(root)`; set `WEBVIEWGUARD_DATA` to its folder"

  /// The bytes of the file at `path`, relative to the data folder; a name that ends in `.gz` is unpacked.
  package static func bytes(_ path: String) throws -> [UInt8] {
    let file = root + "/" + path
    guard path.hasSuffix(".gz") else { return try [UInt8](Data(contentsOf: URL(filePath: file))) }
    return try unpacked(file)
  }

  /// The lines of the text file at `path`, without empty ones.
  package static func lines(_ path: String) throws -> [String] {
    try bytes(path).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The folder itself.
  package static var folder: URL { URL(filePath: root).standardizedFileURL }

  private static let root = environment("WEBVIEWGUARD_DATA") ?? Repository.root + "/../shared/data"
  private static let isPresent = FileManager.default.fileExists(atPath: root + "/README.md")

  private static func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name]
  }

  private static func unpacked(_ file: String) throws -> [UInt8] {
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = ["gzip", "--decompress", "--stdout", file]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    gzip.waitUntilExit()
    guard gzip.terminationStatus == 0 else { throw SharedDataError.cannotUnpack(file) }
    return [UInt8](bytes)
  }
}

/// Why shared data could not be used.
package enum SharedDataError: Error {
  case cannotUnpack(String)
  case notAListOfCases(String)
}
