/// The reaction of a client when the daemon refuses the connection or misses the deadline (architecture, section 9).
public enum FailureAnswer: String, Sendable, Hashable, CaseIterable {
  /// Treat the question as blocked. The default wherever a managed identity is possible.
  case closed
  /// Treat it as allowed.
  case open
}

/// The failure contract: a client's waiting time, and its reaction after that, per kind of event.
public struct FailureContract: Sendable, Hashable {
  /// Maximum wait for the connection, in milliseconds.
  public var startMilliseconds = 2_000
  /// Maximum wait for one answer, in milliseconds.
  public var answerMilliseconds = 500
  /// For `Navigate` and `OpenURL`.
  public var navigation = FailureAnswer.closed
  /// For copies, pastes, changes of a selection and the ends of drags.
  public var clipboard = FailureAnswer.closed
  /// For everything else.
  public var other = FailureAnswer.closed

  /// Everything closed, and the default times.
  public init() {}

  /// The times that a contract may name, in milliseconds; any other counts as left out.
  package static let times = 1...60_000
  /// A longer file is no contract.
  package static let maximumFileLength = 65_536
}

/// The text for a user about a block that no daemon decided. One wording, for all clients:
/// `clients/vectors/messages.json`.
package enum LocalMessage {
  private static let data = "The protection of your organization's data"

  /// - Parameter reason: `noAnswer`, or the last word of an error's name.
  package static func text(for reason: String) -> String {
    switch reason {
    case "noAnswer": "\(data) does not answer. Try again in a moment."
    case "NoApp", "AppAmbiguous", "AppMismatch": "\(data) does not know this program. Tell your administrator."
    default: "\(data) could not judge this. Try again, or tell your administrator."
    }
  }
}
