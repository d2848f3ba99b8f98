internal import GuardProtocol

/// The error of a call that could not be made, or of a reply that could not be read.
enum ClientError: Error, Sendable, Hashable {
  case pathTooLong(String)
  case missing(String)
  case refused(String)
  case notPermitted(String)
  /// The listener is neither root, nor the caller, nor the daemon's own user.
  case strangerListens(String, uid: UInt32)
  /// A system call failed: its name, and the system's words.
  case system(String, path: String, words: String)
  /// The daemon closed the connection before it answered.
  case closed(String)
  /// The daemon did not answer before the deadline.
  case tooLate(String)
  case unreadable(FrameFault)
  case replyTooLong
}

extension ClientError: CustomStringConvertible {
  /// One line: the error, and a possible remedy.
  var description: String {
    switch self {
    case .pathTooLong(let path):
      "the path `\(path)` is longer than a socket's may be; give a shorter --socket-dir"
    case .missing(let path):
      "there is no socket at `\(path)`; is the daemon running, and is this its --socket-dir?"
    case .refused(let path):
      "nobody listens at `\(path)`; the daemon that made it has ended, start it again"
    case .notPermitted(let path):
      path.hasSuffix("/admin.sock")
        ? "no permission to connect to `\(path)`; that takes root or the group `webviewguard-admin`"
        : "no permission to connect to `\(path)`; look at the modes of the socket and of its directory"
    case .strangerListens(let path, let uid):
      "user \(uid) listens at `\(path)`, who is neither root, nor you, nor `webviewguard`; not connected"
    case .system(let call, let path, let words): "cannot \(call) `\(path)`: \(words)"
    case .closed(let path): "the daemon at `\(path)` closed the connection without an answer"
    case .tooLate(let path): "the daemon at `\(path)` did not answer in time"
    case .unreadable: "the answer is no varlink message"
    case .replyTooLong: "the answer is longer than any of the daemon's"
    }
  }
}
