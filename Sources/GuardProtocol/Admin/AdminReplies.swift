package import GuardModel
package import JSONText

/// The reply to `Reload` and to `Rollback`, when a policy loaded.
package struct ReloadReply: Reply, Sendable, Hashable {
  package var generation: Generation
  /// The loader's warnings, one line each.
  package var diagnostics: [String]
  /// A policy other than before is in force.
  package var isChanged: Bool
  /// The changes that would come, or came; nil when the caller did not ask.
  package var preview: PolicyPreview?

  package init(generation: Generation, diagnostics: [String], isChanged: Bool, preview: PolicyPreview? = nil) {
    self.generation = generation
    self.diagnostics = diagnostics
    self.isChanged = isChanged
    self.preview = preview
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
    writer.member("diagnostics", diagnostics)
    writer.member("changed", isChanged)
    preview?.write("preview", to: &writer)
  }
}

/// One reply of `Monitor`: a decision as it was taken.
package struct MonitorReply: Reply, Sendable, Hashable {
  /// Milliseconds since 1970.
  package var time: UInt64
  package var app: String
  package var viewer: String?
  package var event: EventKind
  /// After redaction, as in the log.
  package var url: String?
  package var decision: DecisionReply
  /// Number of decisions before this one that a slow reader missed.
  package var skipped: Int

  package init(
    time: UInt64, app: String, viewer: String?, event: EventKind, url: String?, decision: DecisionReply,
    skipped: Int = 0
  ) {
    self.time = time
    self.app = app
    self.viewer = viewer
    self.event = event
    self.url = url
    self.decision = decision
    self.skipped = skipped
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("time", time)
    writer.member("app", app)
    writer.member("viewer", ifPresent: viewer)
    writer.member("event", event.name)
    writer.member("url", ifPresent: url)
    decision.writeParameters(to: &writer)
    writer.member("skipped", ifPresent: skipped > 0 ? skipped : nil)
  }
}

/// The reply to `Metrics`: text for Prometheus, format 0.0.4.
package struct MetricsReply: Reply, Sendable, Hashable {
  /// UTF-8.
  package var text: [UInt8]

  package init(text: [UInt8]) { self.text = text }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("text")
    writer.value(text.span)
  }
}
