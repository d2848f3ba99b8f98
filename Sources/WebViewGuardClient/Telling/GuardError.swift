/// The error of a call that changes or reads state. Questions never throw: the failure contract answers them.
///
///     do { try await guardian.registerViewer("v1", class: "documents", window: "w1") }
///     catch .refused(let refusal) where refusal.word == "UnknownClass" { … }
///     catch .noAnswer { }    // it is said again when the daemon is back
public enum GuardError: Error, Sendable, Hashable {
  /// The daemon answered with an error. Nothing was changed, and the client does not remember the statement.
  case refused(Refusal)
  /// The daemon is away or was too slow. The client remembers the statement and repeats it after a reconnect.
  case noAnswer
  /// The task was cancelled while it waited. The call may still take effect.
  case cancelled

  /// A varlink error.
  public struct Refusal: Sendable, Hashable {
    /// The whole name: `org.webviewguard.Guard.UnknownClass`.
    public internal(set) var name: String
    /// The parameters of the error, such as `class`.
    public internal(set) var parameters: [String: GuardValue]

    /// The last word of the name: `UnknownClass`.
    public var word: String { name.split(separator: ".").last.map(String.init) ?? name }
  }
}

extension GuardError: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    switch self {
    case .refused(let refusal): "the daemon refused it: `\(refusal.word)`"
    case .noAnswer: "the daemon did not answer"
    case .cancelled: "nobody waits for it any more"
    }
  }
}
