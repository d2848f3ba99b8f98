package import GuardModel
package import JSONText
internal import PolicyFiles
internal import URLRules

/// The explicit external rules of a rule set as the document of one engine, with the gaps in it.
package struct Export {
  /// The JSON, or the value of a switch, without a line end.
  package private(set) var document: [UInt8] = []
  package private(set) var notes: [ExportNote] = []
  /// Number of rules, or entries of lists, in the document.
  private(set) var count = 0
  private let source: ExportSource
  private let format: ExportFormat

  package init(_ source: ExportSource, as format: ExportFormat, layout: JSONWriter.Layout = .compact) {
    self.source = source
    self.format = format
    let (given, closing, defaultNotes) = writeClosed(layout)
    let rules = source.ruleSet.rules + (closing.map { [$0] } ?? [])
    notes = source.monitored.map(ExportNote.init)
    let said = Dictionary(grouping: given, by: \.rule)
    for (place, rule) in rules.enumerated() {
      let number = RuleNumber(place)
      notes += (said[number] ?? []).map { ExportNote($0, of: rules, for: format) }
      notes += ownNotes(rule, isLeftOut: said[number]?.contains(where: \.isLeftOut) ?? false)
    }
    notes += defaultNotes
  }

  /// Writes the rules with the default behind them; without it where it would stop requests that the daemon lets pass.
  private mutating func writeClosed(_ layout: JSONWriter.Layout) -> ([StaticNote], Rule?, [ExportNote]) {
    let ruleSet = source.ruleSet
    guard let closing = source.closingRule else {
      return (write(StaticRules(ruleSet, part: source.part), layout), nil, [])
    }
    var why = "the engine cannot tell frames from pages, and frames are not judged (`subFrames`)"
    if !format.asksOfFrames || closing.purposes.contains(.frame) {
      let rules = StaticRules(ruleSet, closing: closing, part: source.part)
      let notes = write(rules, layout)
      // A rule that may take everything leaves the default nothing.
      let all = rules.openToAll(closing.purposes).map { ruleSet[$0].id.quoted }
      let stopped = all + notes.filter { $0.stops(RuleNumber(ruleSet.rules.count)) }.map { ruleSet[$0.rule].id.quoted }
      if stopped.isEmpty { return (notes, closing, []) }
      why = "it would stop what \(stopped.prefix(5).joined(separator: ", ")) may let pass, which cannot be said"
    }
    let note = ExportNote(
      closing, .defaultOpen, "is not exported: \(why); an external rule behind all others names what it shall stop")
    return (write(StaticRules(ruleSet, part: source.part), layout), nil, [note])
  }

  private mutating func write(_ rules: StaticRules, _ layout: JSONWriter.Layout) -> [StaticNote] {
    var writer = JSONWriter(layout: layout)
    var text: [UInt8]?
    defer { document = text ?? writer.take() }
    switch format {
    case .webkitContentBlocker:
      let export = OrderedExport(rules, for: .webKit)
      count = writer.write(webKit: export.rules)
      return export.notes
    case .declarativeNetRequest:
      let export = OrderedExport(rules, for: .declarativeNetRequest)
      count = writer.write(declarativeNetRequest: export.rules)
      return export.notes
    case .chromiumPolicy:
      let export = PrecedenceExport(rules, for: .chromium)
      count = writer.write(chromiumPolicy: export)
      return export.notes
    case .firefoxPolicy:
      let export = PrecedenceExport(rules, for: .firefox)
      count = writer.write(firefoxPolicy: export)
      return export.notes
    case .chromiumHostRules:
      let export = HostRulesExport(rules)
      count = export.rules.count
      text = Array(export.value.utf8)
      return export.notes
    }
  }

  private func ownNotes(_ rule: Rule, isLeftOut: Bool) -> [ExportNote] {
    guard source.ruleSet.holds(rule) else {
      return [ExportNote(rule, .expired, "has expired, and is not exported")]
    }
    guard !source.ruleSet.monitors(rule) else {
      let until = MonitoredPart.day(rule.monitoredUntil ?? 0)
      return [ExportNote(rule, .monitored, "only monitors until \(until), and is not exported")]
    }
    guard !source.isMonitored else { return [] }
    var notes: [ExportNote] = []
    let part = source.part(of: rule)
    if rule.verdict == .external, part != .blocked {
      notes.append(ExportNote(rule, .loadsInPlace, "is not exported: what is external by it loads in place"))
    }
    let stopsFrames = format.asksOfFrames || format == .chromiumHostRules
    if part == .blocked, !isLeftOut, stopsFrames, !rule.purposes.contains(.frame) {
      notes.append(ExportNote(rule, .framesToo, "stops frames as well: the engine cannot tell them from pages"))
    }
    if let expires = rule.expires, part == .blocked, !isLeftOut {
      let end = MonitoredPart.day(expires)
      notes.append(ExportNote(rule, .expires, "ends at \(end): static rules do not end by themselves"))
    } else if let expires = rule.expires, part == .passed {
      let end = MonitoredPart.day(expires)
      notes.append(ExportNote(rule, .expires, "ends at \(end): what it lets pass does not end by itself"))
    }
    return notes
  }

  /// The report as one JSON object.
  package var report: [UInt8] {
    var writer = JSONWriter(layout: .indented)
    writer.beginObject()
    writer.member("format", format.rawValue)
    writer.member("ruleSet", source.ruleSet.name)
    if let digest = source.digest { writer.member("digest", digest) }
    writer.member("rules", count)
    writer.member("limit", format.limit)
    writer.key("notes")
    writer.beginArray()
    for note in notes { note.write(to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endDocument(UInt8(ascii: "\n"))
    return writer.take()
  }
}

extension ExportSource {
  /// The part of a rule in the export.
  func part(of rule: Rule) -> StaticRules.Part {
    guard !isMonitored, ruleSet.holds(rule), !ruleSet.monitors(rule) else { return .absent }
    guard rule.verdict == .external else { return .passed }
    return loadsInPlace && rule.then == .none ? .passed : .blocked
  }
}

extension ExportFormat {
  /// It stops frames as it stops pages.
  fileprivate var asksOfFrames: Bool { self == .chromiumPolicy || self == .firefoxPolicy }
}

extension StaticNote {
  /// The rule is no exception from the rule with that number.
  fileprivate func stops(_ number: RuleNumber) -> Bool {
    if case .open(_, let by) = kind { by.contains(number) } else { false }
  }

  /// Nothing of the rule is in the export.
  fileprivate var isLeftOut: Bool {
    if case .unsaid = kind { true } else { false }
  }
}

/// A line of the reporton a difference between export and daemon.
package struct ExportNote: Hashable {
  var location: String
  /// ``rule `file-sharing` ``
  package var subject: String
  package var code: Code
  var message: String
  /// Rules that block URLs that this one would let pass.
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
  /// Maximum rules that are named.
  private static let maximumNames = 5

  init(_ note: StaticNote, of rules: [Rule], for format: ExportFormat) {
    let rule = rules[Int(note.rule.place)]
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
      by = numbers.map { rules[Int($0.place)].id }
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

  /// A note on a rule for any engine.
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
  /// Its name in a report; no file has a rule of that id, which stands for the default.
  fileprivate var subject: String { id == "default" ? "the default" : "rule \(id.quoted)" }
}

extension ExportFormat {
  /// The engine's limit, in words.
  var limit: String {
    switch self {
    case .webkitContentBlocker: "150,000 rules, of one host each"
    case .chromiumPolicy, .firefoxPolicy: "1,000 entries in a list"
    case .declarativeNetRequest: "30,000 rules, 1,000 of them with a regular expression"
    case .chromiumHostRules: "\(HostRulesExport.maximumBytes) bytes, which fit into an argument"
    }
  }
}
