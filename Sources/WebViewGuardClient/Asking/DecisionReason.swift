public import GuardModel

/// Why a decision came out as it did, in one word.
///
/// Mostly a word of the policy (`known`). It is open, since a newer daemon has words that this library does not know, and
/// since the library itself has one: what nobody answered.
///
///     switch decision.reason {
///     case .noAnswer: "the guard is away"
///     case let reason where reason.known == .external: "opens in another browser"
///     default: decision.reason.rawValue
///     }
public struct DecisionReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The word: of the policy, `noAnswer`, or the last word of an error's name, such as `UnknownViewer`.
  public let rawValue: String

  /// The reason with this word, whatever it is.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The reason that the policy has for this step.
  public init(_ reason: Reason) { rawValue = reason.rawValue }

  /// The word, as it is.
  public var description: String { rawValue }

  /// The step that ended the procedure; nil for `noAnswer`, errors, and words of a newer daemon.
  public var known: Reason? { Reason(rawValue: rawValue) }

  /// Nobody answered in time, so the failure contract did.
  public static let noAnswer = DecisionReason(rawValue: "noAnswer")
}
