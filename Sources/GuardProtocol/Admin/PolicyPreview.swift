package import GuardModel
internal import JSONText

/// The answers that another policy would give to recent events.
package struct PolicyPreview: Sendable, Hashable {
  /// The number and the digest that the other policy would have.
  package var generation = Generation()
  /// The start of the remembered period, in milliseconds since 1970.
  package var since: UInt64 = 0
  /// Distinct events that were judged under both policies.
  package var judged = 0
  /// Events that could not be judged: their programs have ended.
  package var notJudged = 0
  /// Questions that were not remembered: too many came at once, or the event was too long.
  package var notRemembered: UInt64 = 0
  /// Number of judged events that would be answered differently.
  package var changed = 0
  /// Number of events that would be answered less strictly, with no user counted for more than an ordinary one. Limits
  /// compare with it.
  package var loosened = 0
  /// Number of judged events, counted in the same way.
  package var weighed = 0
  /// The most frequent of the changed events, grouped.
  package var changes: [PolicyChange] = []

  package init() {}

  /// Maximum groups of changes in the reply.
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

/// Events of one app that look alike to a reader and would be answered differently.
package struct PolicyChange: Sendable, Hashable {
  package var app = ""
  /// The viewer's class; nil when it has none.
  package var viewerClass: String?
  package var event = EventKind.unknown
  /// After redaction, as in the log.
  package var url: String?
  /// Number of distinct events in this group.
  package var events = 1
  /// Number of times they were asked.
  package var seen: UInt64 = 0
  /// The last time, in milliseconds since 1970.
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

/// The answer of one policy: the parts of a decision that an administrator compares.
package struct PolicyAnswer: Sendable, Hashable {
  package var outcome = Outcome.block
  package var reason = Reason.unknownEvent
  /// The program that opens the URL instead: `managedBrowser` and so on.
  package var target: String?
  /// The answer that an enforced policy would give, where the policy only monitors.
  package var advised: Outcome?
  /// Duties beside the outcome: `mustEncrypt`, `tagAs`, `onlyPlainText`, `mimeWrap`.
  package var duties: [String] = []
  package var ruleSet: String?
  package var rule: String?
  package var ruleLocation: String?

  package init() {}

  /// The app and its user would notice no difference. The deciding rule does not count.
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
