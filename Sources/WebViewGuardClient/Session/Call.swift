internal import GuardModel

/// The result of a call.
package enum CallAnswer: Sendable {
  /// The parameters of the reply.
  case reply([String: GuardValue])
  /// An error of the daemon.
  case refused(GuardError.Refusal)
  /// The daemon is away, was too slow, or sent something unreadable.
  case nothing
  /// The waiting task was cancelled.
  case cancelled
}

/// The purpose of a call: it decides the answer for the app, and the statements to remember.
enum CallPurpose: Sendable {
  /// A question, or several, about these viewers: a decision may ask for a switch in one of them.
  case question(viewers: [String?])
  /// A statement to repeat to a daemon that lost it.
  case statement(Statement)
  /// The result of a switch that the daemon asked for.
  case switching(request: String, SwitchResult)
  /// A call without anything to remember.
  case other

  var isQuestion: Bool {
    if case .question = self { true } else { false }
  }
}

/// One call, waiting or sent.
struct Call: Sendable {
  var method: String
  var purpose: CallPurpose
  /// The deadline of the answer, in milliseconds of the monotonic clock.
  var deadline: Int64
  /// The call gets no reply: `oneway`.
  var isOneway = false
  /// It was refused because the session was not attached, and waits for `Attach`.
  var isAskedAgain = false
  /// Writes the parameters; the remaining time, in milliseconds, is known only when the call is sent.
  var write: @Sendable (_ writer: inout ValueWriter, _ remaining: Int) -> Void
  let answer = PendingAnswer()
}

/// One message of the daemon.
package struct Message: Sendable {
  /// The error's name; nil when the call succeeded.
  var error: String?
  var parameters: [String: GuardValue]
  /// More replies to the same call follow.
  var continues: Bool

  /// The reply in a frame without its NUL; nil when it holds none.
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

  /// The message as the answer to a call.
  var answer: CallAnswer { error.map { .refused(.init(name: $0, parameters: parameters)) } ?? .reply(parameters) }
}
