public import GuardModel

/// The reason for a decision, in one word.
///
/// Mostly a word of the policy (`known`). It is open, because a newer daemon has words that this library does not know,
/// and because the library itself has one for a missing answer.
///
///     switch decision.reason {
///     case .noAnswer: "the guard is away"
///     case let reason where reason.known == .external: "opens in another browser"
///     default: decision.reason.rawValue
///     }
public struct DecisionReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The word: of the policy, `noAnswer`, or the last word of an error's name, such as `UnknownViewer`.
  public let rawValue: String

  /// The reason with any word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The reason that the policy has for this step.
  public init(_ reason: Reason) { rawValue = reason.rawValue }

  /// The word, as it is.
  public var description: String { rawValue }

  /// The step that ended the procedure; nil for `noAnswer`, errors, and words of a newer daemon.
  public var known: Reason? { Reason(rawValue: rawValue) }

  /// The daemon did not answer in time, so the failure contract did.
  public static let noAnswer = DecisionReason(rawValue: "noAnswer")
}
