/// One list file that was read: its content in numbers, and its age.
///
///     ListFile(name: "lists/file-sharing.txt", format: .domains, …)
///     file.entries       // 1496659
///     file.modified      // 1795219200, seconds since 1970
///
/// Names count, and not lines, in `entries`, `selfEntries`, `duplicates` and `covered`: a line of a hosts file has many.
package struct ListFile: Sendable, Hashable {
  /// The name below the directory `rules`, as rules give it.
  package let name: String
  /// The name as the user would write it.
  package let path: String
  package let format: ListFormat
  /// Names or filters that were taken, repeated ones as well.
  package var entries = 0
  /// Lines with something that could not be taken.
  package var badLines = 0
  /// Names of a hosts file that only name the machine itself, such as `localhost`.
  package var selfEntries = 0
  /// Entries written `*.x` or `.x`, which take `x` as well.
  package var wildcards = 0
  /// Entries that were found to be public suffixes; 0 when they were not looked for.
  package var publicSuffixes = 0
  /// Repeated entries; nil when they were not looked for, and for URL filters.
  package var duplicates: Int?
  /// Entries, each counted once, that lie below another entry of the list; nil likewise.
  package var covered: Int?
  /// Lines of the text, with comments and empty ones.
  package var lines = 0
  /// Bytes of the file.
  package var storedBytes = 0
  /// Bytes of the text; more than those of the file when it is packed.
  package var unpackedBytes = 0
  /// When the file was last written, in seconds since 1970; nil when its source keeps no times.
  package var modified: Int64?
  /// SHA-256 of the file as it is stored; the digest of the configuration covers it.
  package var hash: [UInt8] = []

  package init(name: String, path: String, format: ListFormat) {
    self.name = name
    self.path = path
    self.format = format
  }
}
