internal import Dispatch
internal import GuardModel
internal import Synchronization

/// The result of a call.
package enum CallAnswer: Sendable {
  /// The parameters of the reply.
  case reply([String: GuardValue])
  /// An error of the daemon.
  case refused(GuardError.ErrorReply)
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
struct ClientCall: Sendable {
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

/// The facts that an app states about itself when it attaches.
package struct Hello: Sendable {
  var app: String?
  var features: [String]
  var languages: [String]
  var version: String?
  var rules: String?

  package init(
    app: String?, features: [String] = [], languages: [String] = [], version: String? = nil, rules: String? = nil
  ) {
    (self.app, self.features, self.languages, self.version, self.rules) = (app, features, languages, version, rules)
  }

  /// Writes the call.
  ///
  /// - Parameter token: the token of the instance to join; nil starts a new one.
  func write(to output: inout [UInt8], token: String?) {
    output += MessageText.call(
      "Attach",
      members: { members in
        members.member("app", app)
        members.member("instance", token)
        members.member("features", features)
        members.member("languages", languages.isEmpty ? nil : languages)
        members.member("version", version)
        members.member("clientVersion", GuardClient.libraryVersion)
        members.member("rules", rules)
      })
  }
}

/// A call as bytes.
enum MessageText {
  enum Mode { case one, more, oneway }

  static let interface = "org.webviewguard.Guard"

  /// The message with its NUL; the closure writes the members of the parameters.
  static func call(_ method: String, _ mode: Mode = .one, members: (inout ValueWriter) -> Void) -> [UInt8] {
    call(method, mode, parameters: { $0.object(members) })
  }

  /// The message with its NUL; the closure writes the parameters, braces and all.
  static func call(_ method: String, _ mode: Mode = .one, parameters: (inout ValueWriter) -> Void) -> [UInt8] {
    var writer = ValueWriter()
    writer.object { message in
      message.member("method", method.contains(".") ? method : "\(interface).\(method)")
      message.member("parameters", parameters)
      message.member("more", mode == .more ? true : nil)
      message.member("oneway", mode == .oneway ? true : nil)
    }
    writer.endMessage()
    return writer.bytes
  }
}

/// Work to do outside the lock, after a step of a state machine.
package enum Effect: Sendable {
  case give(PendingAnswer, CallAnswer)
  case report(GuardProblem)
  case stand(LineStanding)
  case tell(AsyncStream<GuardNews>.Continuation, GuardNews)
  case tellAll(AsyncStream<HeardNews>.Continuation, HeardNews)
  case end(NewsSink)
  /// A scope got this reply to questions about these viewers: the client notes the switches that it asks for.
  case noteSwitches([String: GuardValue], viewers: [String?])
}

/// The wish of a line to the thread that carries its bytes.
package enum LineWish: Sendable {
  /// A new connection.
  case connect
  /// The present connection.
  case stay
  /// No connection.
  case rest
}

/// The answer to one call. One side gives it, another waits for it: a task, a thread or a callback.
///
/// The first answer counts, so a deadline, a cancellation and a reply may come at the same moment.
package final class PendingAnswer: Sendable {
  private enum State {
    case open(waiter: (@Sendable (CallAnswer) -> Void)?)
    case given(CallAnswer)
  }

  private let state = Mutex(State.open(waiter: nil))

  /// The answer, once it is there.
  var given: CallAnswer? {
    state.withLock { if case .given(let answer) = $0 { answer } else { nil } }
  }

  func give(_ answer: CallAnswer) {
    let waiter: (@Sendable (CallAnswer) -> Void)? = state.withLock { state in
      guard case .open(let waiter) = state else { return nil }
      state = .given(answer)
      return waiter
    }
    waiter?(answer)
  }

  /// Calls the closure with the answer, at once when it is there. Only one caller may wait.
  func whenGiven(_ waiter: @escaping @Sendable (CallAnswer) -> Void) {
    let answer: CallAnswer? = state.withLock { state in
      if case .given(let answer) = state { return answer }
      state = .open(waiter: waiter)
      return nil
    }
    if let answer { waiter(answer) }
  }

  /// Waits in a task; a cancellation ends the wait at once.
  nonisolated(nonsending) func value() async -> CallAnswer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in whenGiven { continuation.resume(returning: $0) } }
    } onCancel: {
      give(.cancelled)
    }
  }

  /// Waits in a task, even a cancelled one, but never longer than the deadline of the call.
  nonisolated(nonsending) func settled() async -> CallAnswer {
    await withCheckedContinuation { continuation in whenGiven { continuation.resume(returning: $0) } }
  }

  /// Waits in a thread, at most for the given milliseconds.
  @available(*, noasync)
  func wait(milliseconds: Int) -> CallAnswer {
    let isThere = DispatchSemaphore(value: 0)
    whenGiven { _ in isThere.signal() }
    if isThere.wait(timeout: .now() + .milliseconds(max(milliseconds, 0))) == .timedOut { give(.nothing) }
    return given ?? .nothing
  }
}
