/// Something could not be done: the program says why and ends with status 2.
struct CommandFailure: Error, Hashable {
  /// Lower case, without a full stop, fit for a terminal.
  let message: String

  static let status: Int32 = 2

  init(_ message: String) { self.message = message }
}
