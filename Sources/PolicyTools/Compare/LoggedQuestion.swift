internal import DecisionLog
internal import JSONText

/// The question in a line of a log, as far as a report tells it.
struct LoggedQuestion {
  /// An event, and not a change of state.
  let isEvent: Bool
  /// A line that asks or changes something, and does not just tell of the daemon.
  let isQuestion: Bool
  let url: String?
  /// The record's replayability; nil when the line is no record, but an event as an app would state it.
  let replayability: Replayability?
  /// The answer at the time; nil likewise.
  let recordedOutcome: String?
  /// The advice beside it, where the policy only monitored.
  let recordedAdvice: String?
  /// The event, and the URL, program, place or channel that it is about.
  let text: String

  init(_ line: JSONTree) {
    let type = line["type"]?.string
    let word = line["event"]?.string
    let change = line["change"]?.string ?? line["call"]?.string
    let isRecord = line["v"] != nil && type != nil
    isEvent = word != nil && (!isRecord || type == RecordType.decision.rawValue)
    isQuestion = isEvent || change != nil
    url = line["url"]?.string ?? line["document"]?.string
    replayability = isRecord && isEvent ? line["replayable"]?.string.flatMap(Replayability.init) ?? .no : nil
    recordedOutcome = isRecord ? line["outcome"]?.string : nil
    recordedAdvice = isRecord ? line["advised"]?["outcome"]?.string : nil
    let other = url ?? line["peer"]?.string ?? line["location"]?.string ?? line["channel"]?.string
    text = [word ?? change ?? type, other].compactMap(\.self).joined(separator: " ")
  }
}
