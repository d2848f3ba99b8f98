internal import URLRules

/// Takes the hosts of one list, and keeps only the place of the longest name that holds the sought host; the first of
/// equal ones.
package struct SoughtHost: ListedHosts {
  private let host: [UInt8]
  /// Line of the entry that is read; set before the entry.
  var line = 0
  private var best = -1
  package private(set) var found: (entry: String, line: Int)?

  package init(_ host: String) { self.host = Array(host.utf8) }

  package mutating func beginList() -> Int32 { 0 }

  package mutating func add(_ name: Span<UInt8>) -> Bool {
    guard name.count > best, name.count <= host.count, holds(name) else { return true }
    best = name.count
    found = (name.text, line)
    return true
  }

  /// Whether the name is the host, or above it.
  private func holds(_ name: Span<UInt8>) -> Bool {
    let start = host.count - name.count
    guard start == 0 || host[start - 1] == UInt8(ascii: ".") else { return false }
    for index in name.indices where name[index] != host[start + index] { return false }
    return true
  }
}

extension ListReader {
  /// Reads a list of hosts that was read before, for the place of an entry.
  package func readAgain(_ place: ListPlace, _ format: ListFormat, into sought: inout SoughtHost) {
    var lines = HostListLines(ListFile(name: place.name, path: place.path, format: format), ListChecks())
    var ignored = Diagnostics()
    _ = read(
      place, into: &ignored,
      { line, number in
        sought.line = number
        lines.read(line, number, into: &sought)
      }, refusal: { lines.refusal })
  }
}
