internal import GuardModel
internal import JSONText
internal import PolicyFiles
internal import URLRules

/// A line of the report: what an export does not say as the daemon would.
package struct ExportNote: Hashable {
  var location: String
  /// ``rule `file-sharing` ``
  package var subject: String
  package var code: Code
  var message: String
  /// Rules that block what this one would not.
  var by: [String] = []

  package enum Code: String {
    case notExpressible = "not-expressible"
    case partlyExpressed = "partly-expressed"
    case fewerUses = "fewer-uses"
    case mayStop = "may-stop"
    case noWebSockets = "no-websockets"
    case framesToo = "frames-too"
    case expires
    case expired
    case monitored
    case loadsInPlace = "loads-in-place"
    case defaultOpen = "default-open"

    /// The export blocks less or more than the rules, and nothing in them asked for it.
    package var isGap: Bool {
      switch self {
      case .notExpressible, .partlyExpressed, .fewerUses, .mayStop, .noWebSockets, .defaultOpen: true
      case .framesToo, .expires, .expired, .monitored, .loadsInPlace: false
      }
    }
  }

  /// `file:line:column: note: …`, as diagnostics look.
  package var line: String { "\(location): note: \("\(subject) \(message)".escapedForDisplay) [\(code.rawValue)]" }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("location", location)
    writer.member("subject", subject)
    writer.member("code", code.rawValue)
    writer.member("gap", code.isGap)
    writer.member("message", message)
    if !by.isEmpty {
      writer.key("by")
      writer.beginArray()
      for id in by { writer.value(id) }
      writer.endArray()
    }
    writer.endObject()
  }
}

extension ExportNote {
  /// So many rules are named.
  private static let maximumNames = 5

  init(_ note: StaticNote, of rules: [Rule], for format: ExportFormat) {
    let rule = rules[note.rule]
    location = rule.location
    subject = rule.subject
    switch note.kind {
    case .unsaid(let gaps):
      code = .notExpressible
      message = "is not exported: \(Self.words(gaps, format))"
    case .partly(let gaps):
      code = .partlyExpressed
      message = "is exported in part only: \(Self.words(gaps, format))"
    case .uses(let gaps):
      code = .fewerUses
      message = "speaks of more than the export: \(Self.words(gaps, format))"
    case .open(let gap, let numbers):
      code = .mayStop
      by = numbers.map { rules[$0].id }
      let named = by.prefix(Self.maximumNames).map(\.quoted).joined(separator: ", ")
      let more = by.count > Self.maximumNames ? " and \(by.count - Self.maximumNames) more" : ""
      let whose = rule.verdict == .internal ? "what it calls internal" : "what it does not block"
      message =
        "is no exception in the export, and \(whose) may be blocked by \(named)\(more): \(Self.words([gap], format))"
    case .sockets:
      code = .noWebSockets
      message = "does not stop WebSockets: what it looks for may lie in the scheme, which differs"
    }
  }

  private static func words(_ gaps: [StaticGap], _ format: ExportFormat) -> String {
    gaps.map { $0 == .limit ? "\($0.words) (\(format.limit))" : $0.words }.joined(separator: "; ")
  }

  /// What is to be said of a rule whatever the engine.
  init(_ rule: Rule, _ code: Code, _ message: String) {
    location = rule.location
    subject = rule.subject
    self.code = code
    self.message = message
  }

  init(_ part: MonitoredPart) {
    location = part.location
    subject = part.words
    code = .monitored
    message = "only monitors until \(MonitoredPart.day(part.until)), and is not exported"
  }
}

extension Rule {
  /// What a report calls it; no file has a rule of that id, which stands for the default.
  fileprivate var subject: String { id == "default" ? "the default" : "rule \(id.quoted)" }
}
