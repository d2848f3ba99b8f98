internal import Platform
internal import PolicyFiles

/// Something could not be done: the program says why and ends with status 2.
package struct CommandFailure: Error, Hashable {
  /// Lower case, without a full stop, fit for a terminal.
  package let message: String

  package static let status: Int32 = 2

  package init(_ message: String) { self.message = message }

  /// A file with which something cannot be done: "cannot read `x`: No such file or directory".
  package init(_ call: String, _ path: String, _ words: String = SystemWords.last) {
    self.init("cannot \(call) `\(path.escapedForDisplay)`: \(words)")
  }
}
