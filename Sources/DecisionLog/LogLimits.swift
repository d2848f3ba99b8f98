/// The bounds that writer, reader and recovery agree on.
package enum LogLimits {
  /// The longest line, in bytes: 1 MiB. Two URLs and all texts of a record fit, even when every byte is escaped. A
  /// longer line is no record, so a reader needs no more memory than this.
  package static let recordBytes = 1 << 20
}
