internal import Glibc
internal import Platform
internal import PolicyFiles

/// Standard input as a file that can be read twice; it has no name, and goes with the program.
package struct SpooledInput {
  /// Reads as a file.
  package let path: String

  package init() throws(CommandFailure) {
    let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(directory)/webviewguard-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    if descriptor >= 0 { unlink(template) }
    guard descriptor >= 0 else {
      throw CommandFailure("cannot make a file in `\(directory.escapedForDisplay)`: \(SystemWords.last)")
    }
    var problem: CommandFailure?
    try LogFiles.forEachChunk(of: "-", STDIN_FILENO) { piece in
      if problem == nil, !Stream.write(piece, to: descriptor) {
        problem = CommandFailure("cannot keep standard input in `\(directory.escapedForDisplay)`: \(SystemWords.last)")
      }
    }
    if let problem { throw problem }
    // Opened anew, it is read from its beginning.
    path = "/proc/self/fd/\(descriptor)"
  }
}
