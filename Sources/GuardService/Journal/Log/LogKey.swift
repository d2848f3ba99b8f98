internal import DecisionLog
internal import Platform

/// The key of the account pseudonyms: 32 random bytes beside the log, readable by the daemon only.
enum LogKey {
  static let byteCount = 32

  /// The key in a directory, made when there is none.
  static func load(in directory: String) throws(StartError) -> [UInt8] {
    let path = directory + "/" + LogNames.key
    if let key = SmallFile.bytes(at: path, maximum: byteCount + 1) {
      guard key.count == byteCount else { throw .log("`\(path)` does not hold \(byteCount) bytes") }
      return key
    }
    var random = SystemRandomNumberGenerator()
    let key = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
    do throws(SystemError) {
      try SmallFile.replace(path, with: key, mode: 0o600, synced: true)
    } catch {
      throw .system(error)
    }
    return key
  }
}
