/// The facts that a file's path tells without a look at the disk.
package enum FilePath {
  /// Whether a path means one file only: absolute, without `..`, `.`, `//` or control characters (amendments, paths).
  ///
  ///     "/home/ada/Documents/plan.odt"    // true
  ///     "/srv/org/../../home/ada/x"       // false: it leaves the place it seems to be in
  package static func isPlain(_ path: Span<UInt8>) -> Bool {
    guard path.count > 0, path[0] == UInt8(ascii: "/") else { return false }
    var start = 1
    for index in 1...path.count where index == path.count || path[index] == UInt8(ascii: "/") {
      let part = path.extracting(start..<index)
      if part.isEmpty, index < path.count { return false }
      if part.count <= 2, part.count > 0, part.indices.allSatisfy({ part[$0] == UInt8(ascii: ".") }) { return false }
      start = index + 1
    }
    return !path.indices.contains { path[$0] < 0x20 || path[$0] == 0x7F }
  }
}
