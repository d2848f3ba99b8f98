internal import JSONText

/// How the decision log is, as `Status` tells.
package struct LogStatus: Sendable, Hashable {
  /// When an answer may leave: `written` or `synced`.
  package var durability = ""
  /// How many files there are.
  package var files = 0
  /// What they hold together.
  package var bytes = 0
  /// Number of the newest record that the kernel has.
  package var written: UInt64 = 0
  /// Number of the newest record on the disk; nil where no answer waits for that.
  package var synced: UInt64?
  /// Why the log cannot be written; nil when it can.
  package var failure: String?
  /// What was gone from it when the daemon started, in words; nil when nothing was.
  package var lost: String?
  /// When files last had to go before their time, in milliseconds since 1970; nil when none did.
  package var prunedEarly: UInt64?
  /// Users whose records fill their share.
  package var fullShares: [UInt32] = []

  package init() {}

  func write(to writer: inout JSONWriter) {
    writer.key("log")
    writer.beginObject()
    writer.member("durability", durability)
    writer.member("files", files)
    writer.member("bytes", bytes)
    writer.member("written", written)
    writer.member("synced", ifPresent: synced)
    writer.member("failure", ifPresent: failure)
    writer.member("lost", ifPresent: lost)
    writer.member("prunedEarly", ifPresent: prunedEarly)
    writer.key("fullShares")
    writer.beginArray()
    for uid in fullShares { writer.value(UInt64(uid)) }
    writer.endArray()
    writer.endObject()
  }
}
