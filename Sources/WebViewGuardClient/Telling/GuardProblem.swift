/// A problem outside of questions. It never reaches a question.
///
///     GuardClient(.init(app: "com.contoso.portal") { problem in log("\(problem)") })
public enum GuardProblem: Error, Sendable, Hashable {
  /// There is no socket.
  case missing(path: String)
  /// No program listens at the socket, or too many wait there.
  case refused(path: String)
  /// The modes of the socket or its directory are in the way.
  case notPermitted(path: String)
  /// The path is longer than a socket's may be.
  case pathTooLong(path: String)
  /// An untrusted user listens there: nothing was sent.
  case strangerListens(path: String, uid: UInt32)
  /// Any other system call failed, with this error number.
  case system(call: String, code: Int32)
  /// The failure contract beside the socket is not the daemon's, or others may write it. It counts as absent.
  case contractNotTrusted(path: String)
  /// The failure contract cannot be read, whole or in part. Missing answers are closed.
  case contractBroken(path: String)
  /// The daemon closed the connection.
  case closed
  /// The daemon sent bytes that are no varlink message, or a longer message than it may.
  case unreadable
  /// A question got no answer in time. The connection was closed, so a late answer cannot pass for another one's.
  case missedDeadline
  /// `Attach` was answered with an error.
  case attachRefused(GuardError.Refusal)
  /// The daemon refused a repeated statement that it had accepted before the connection was lost.
  case replayRefused(method: String, GuardError.Refusal)
}

extension GuardProblem: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    switch self {
    case .missing(let path): "there is no socket at `\(path)`"
    case .refused(let path): "nobody answers at `\(path)`"
    case .notPermitted(let path): "no permission to connect to `\(path)`"
    case .pathTooLong(let path): "the path `\(path)` is longer than a socket's may be"
    case .strangerListens(let path, let uid): "user \(uid) listens at `\(path)`, whom nobody trusts; not connected"
    case .system(let call, let code): "`\(call)` failed with error \(code)"
    case .contractNotTrusted(let path): "`\(path)` is not the daemon's alone; it does not count"
    case .contractBroken(let path): "`\(path)` is not whole; what is missing is closed"
    case .closed: "the daemon closed the connection"
    case .unreadable: "what the daemon sent is no message of its own"
    case .missedDeadline: "the daemon did not answer in time"
    case .attachRefused(let refusal): "the daemon refused the app: `\(refusal.word)`"
    case .replayRefused(let method, let refusal): "`\(method)` was refused when it was said again: `\(refusal.word)`"
    }
  }
}
