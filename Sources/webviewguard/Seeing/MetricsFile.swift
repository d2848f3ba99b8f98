internal import GuardService
internal import Platform
internal import PolicyTools

/// The file that a textfile collector reads: replaced as a whole, so that nobody reads half of one.
enum MetricsFile {
  /// What it says when the daemon cannot be asked.
  static var textOfNone: [UInt8] {
    var text = MetricsText()
    text.single("webviewguard_up", .gauge, "Whether the daemon answers.", 0)
    return text.bytes
  }

  /// The temporary name does not end in `.prom`, so that the collector never takes it for another file of its own.
  static func replace(_ path: String, with bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) { try SmallFile.replace(path, with: bytes, mode: 0o644) } catch {
      let calls = ["open": "make", "rename": "replace"]
      throw CommandFailure(calls[error.call] ?? error.call, error.path, error.words)
    }
  }
}
