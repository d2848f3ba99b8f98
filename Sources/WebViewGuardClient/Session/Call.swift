internal import GuardModel

/// What came of a call.
package enum CallAnswer: Sendable {
  /// The parameters of the reply.
  case reply([String: GuardValue])
  /// An error of the daemon.
  case refused(GuardError.Refusal)
  /// The daemon is away, was too slow, or sent something unreadable.
  case nothing
  /// Whoever waited was cancelled.
  case cancelled
}

/// What an app is told of a call, and what is to be remembered of it.
enum CallPurpose: Sendable {
  /// A question, or several, about these viewers: a decision may ask for a switch in one of them.
  case question(viewers: [String?])
  /// To be said again to a daemon that lost it.
  case statement(Statement)
  /// What came of a switch that the daemon asked for.
  case switching(request: String, SwitchResult)
  /// Nothing to remember.
  case other

  var isQuestion: Bool {
    if case .question = self { true } else { false }
  }
}

/// One call that waits to be sent, or was.
struct Call: Sendable {
  var method: String
  var purpose: CallPurpose
  /// When the answer has to be there, in milliseconds of the monotonic clock.
  var deadline: Int64
  /// Nothing answers: `oneway`.
  var isOneway = false
  /// It was refused since the session was attached to nothing, and waits for `Attach`.
  var isAskedAgain = false
  /// Writes the parameters; the time that is left, in milliseconds, is known only when the call is sent.
  var write: @Sendable (_ writer: inout ValueWriter, _ remaining: Int) -> Void
  let answer = PendingAnswer()
}

/// One message of the daemon.
package struct Message: Sendable {
  /// The error's name; nil when the call succeeded.
  var error: String?
  var parameters: [String: GuardValue]
  /// Whether more replies to the same call follow.
  var continues: Bool

  /// The reply that a frame without its NUL is; nil for what is none.
  package init?(reading frame: ArraySlice<UInt8>) {
    guard let value = ValueReader.read(frame), let members = value.object else { return nil }
    parameters = value["parameters"]?.object ?? [:]
    let isWellFormed =
      (value["parameters"] == nil || value["parameters"]?.object != nil)
      && (value["error"] == nil || value["error"]?.string != nil)
      && (value["continues"] == nil || value["continues"]?.bool != nil)
    guard isWellFormed, members["method"] == nil else { return nil }
    error = value["error"]?.string
    continues = value["continues"]?.bool ?? false
  }

  /// What the message answers to a call.
  var answer: CallAnswer { error.map { .refused(.init(name: $0, parameters: parameters)) } ?? .reply(parameters) }
}
