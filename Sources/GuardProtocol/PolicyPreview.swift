package import GuardModel
internal import JSONText

/// What another policy would answer to the events that were asked lately.
package struct PolicyPreview: Sendable, Hashable {
  /// The number and the digest that the other policy would have.
  package var generation = Generation()
  /// Since when events are remembered, in milliseconds since 1970.
  package var since: UInt64 = 0
  /// Distinct events that were judged under both policies.
  package var judged = 0
  /// Those that were not: their programs have ended.
  package var notJudged = 0
  /// Questions that were not remembered, since too many came at once or the event was too long.
  package var notRemembered: UInt64 = 0
  /// How many of the judged events would be answered otherwise.
  package var changed = 0
  /// How many would be answered less strictly, with no user counted for more than an ordinary one: what a limit is about.
  package var loosened = 0
  /// How many were judged, counted like that.
  package var weighed = 0
  /// Some of these, grouped: those asked most often.
  package var changes: [PolicyChange] = []

  package init() {}

  /// The most groups of changes that are told.
  package static let maximumChanges = 100

  func write(_ name: StaticString, to writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
    writer.member("since", since)
    writer.member("judged", judged)
    writer.member("notJudged", notJudged)
    writer.member("notRemembered", notRemembered)
    writer.member("changed", changed)
    writer.member("loosened", loosened)
    writer.member("weighed", weighed)
    writer.key("changes")
    writer.beginArray()
    for change in changes { change.write(to: &writer) }
    writer.endArray()
    writer.endObject()
  }
}

/// Events of one app, alike to whoever reads of them, that would be answered otherwise.
package struct PolicyChange: Sendable, Hashable {
  package var app = ""
  /// The viewer's class; nil when it has none.
  package var viewerClass: String?
  package var event = EventKind.unknown
  /// After redaction, as in the log.
  package var url: String?
  /// Distinct events that this stands for.
  package var events = 1
  /// How often they were asked.
  package var seen: UInt64 = 0
  /// When last, in milliseconds since 1970.
  package var lastSeen: UInt64 = 0
  package var before = PolicyAnswer()
  package var after = PolicyAnswer()

  package init() {}

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("app", app)
    writer.member("class", ifPresent: viewerClass)
    writer.member("event", event.name)
    writer.member("url", ifPresent: url)
    writer.member("events", events)
    writer.member("seen", seen)
    writer.member("lastSeen", lastSeen)
    before.write("before", to: &writer)
    after.write("after", to: &writer)
    writer.endObject()
  }
}

/// What one policy answers: as much of a decision as an administrator compares.
package struct PolicyAnswer: Sendable, Hashable {
  package var outcome = Outcome.block
  package var reason = Reason.unknownEvent
  /// Where the URL opens instead: `managedBrowser` and so on.
  package var target: String?
  /// What would have been answered, where the policy only monitors.
  package var advised: Outcome?
  /// What is to be done beside it: `mustEncrypt`, `tagAs`, `onlyPlainText`, `mimeWrap`.
  package var duties: [String] = []
  package var ruleSet: String?
  package var rule: String?
  package var ruleLocation: String?

  package init() {}

  /// Whether the app, or its user, would notice a difference. By which rule it comes does not count.
  package func isLike(_ other: PolicyAnswer) -> Bool {
    outcome == other.outcome && reason == other.reason && target == other.target && advised == other.advised
      && duties == other.duties
  }

  fileprivate func write(_ name: StaticString, to writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    writer.member("outcome", outcome.name)
    writer.member("reason", reason.rawValue)
    writer.member("target", ifPresent: target)
    writer.member("advised", ifPresent: advised?.name)
    if !duties.isEmpty { writer.member("duties", duties) }
    writer.member("ruleSet", ifPresent: ruleSet)
    writer.member("rule", ifPresent: rule)
    writer.member("ruleLocation", ifPresent: ruleLocation)
    writer.endObject()
  }
}
