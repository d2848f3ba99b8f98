internal import ArgumentParser
internal import DecisionLog
internal import GuardModel
internal import PolicyFiles
internal import PolicyTools

/// `log show`: records for people.
struct LogShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the records of a log, oldest file first.",
    discussion: """
      Every filter that is given must hold. Times are RFC 3339, such as 2026-11-21T02:39:29Z, or a date, which means \
      its first moment in UTC. Accounts stand in the log under pseudonyms; --account finds them by name with the key that lies \
      beside the files, or that --key names. \
      --advised shows what a policy that only monitors would have stopped, and counts it by site, rule and app, repeats \
      included; what happened in a page that enforcing would not have opened is counted apart.
      """)

  @Argument(help: "The directory of the log, or its files in their order; `-` is standard input.", completion: .file())
  var files: [String]

  @Option(help: "Show nothing earlier.", transform: LogTime.read)
  var since: LogTime?

  @Option(help: "Show nothing at or after this time.", transform: LogTime.read)
  var until: LogTime?

  @Option(help: "Show this app only.")
  var app: String?

  @Option(help: "Show this outcome only: block, allow, redirect …")
  var outcome: String?

  @Option(help: "Show this reason only.")
  var reason: String?

  @Option(help: "Show this viewer only.")
  var viewer: String?

  @Option(help: "Show this account only, as the policy spells it.")
  var account: String?

  @Option(help: "The file with the key of the pseudonyms.", completion: .file())
  var key: String?

  @Option(help: "Show this user's records only, by number.")
  var uid: UInt32?

  @Option(help: "Show this rule only: its id, or its rule set, `/` and its id; advice counts too.")
  var rule: String?

  @Option(help: "Show records of this type only: decision, state, policy, start, failure …")
  var type: String?

  @Option(help: "Show what this exception decided only, by its id.")
  var exception: String?

  @Option(help: "Show the decision with this id only, and its repeats.")
  var id: String?

  @Option(
    name: .customLong("field"),
    help: "Show only records of which this field of a decision has this text, such as mustEncrypt=true; repeatable.",
    transform: LoggedField.read)
  var fields: [LoggedField] = []

  @Flag(help: "Show only what the policy would have answered otherwise where it monitors, and count it.")
  var advised = false

  @Flag(help: "With --advised: the counts alone.")
  var counts = false

  @Option(help: "With --advised: how many sites, rules and apps to show.")
  var top = 20

  @OptionGroup var options: FormatOptions

  func validate() throws {
    if key != nil, account == nil, !fields.contains(where: \.isAccount) {
      throw ValidationError("--key goes with --account, or with --field and an account")
    }
    if counts, !advised { throw ValidationError("--counts goes with --advised") }
    try Self.check(outcome, "outcome", among: Outcome.allCases.map(\.name))
    try Self.check(reason, "reason", among: Self.reasons)
    try Self.check(type, "type of record", among: RecordType.allCases.map(\.rawValue))
    guard top >= 0 else { throw ValidationError("--top takes no negative number") }
  }

  /// The reasons of decisions and of refused changes.
  private static let reasons = Set(Reason.allCases.map(\.rawValue) + RefusedChange.Reason.allCases.map(\.rawValue))

  /// A word that no record can have would find nothing and look like good news.
  private static func check(_ word: String?, _ what: String, among known: some Collection<String>) throws {
    guard let word, !known.contains(word) else { return }
    throw ValidationError("\(word.quoted) is no \(what); known are \(known.sorted().quotedList)")
  }

  func run() throws {
    let filter = try filter()
    var apps = SeenApps()
    // For most records, advice needs only a search for a word.
    if advised { return try showAdvice(filter) }
    try showRecords(filter, &apps)
    if let app, !apps.names.contains(app) {
      throw CommandFailure("no record is of the app \(app.quoted); \(apps.words)")
    }
  }

  private func showRecords(_ filter: LogFilter, _ apps: inout SeenApps) throws {
    let format = options.format
    let output = Output()
    var reader = LogRecordReader()
    for file in files {
      var unreadable = 0
      try LogFiles.forEachLine(of: file, beforeWaiting: output.flush) { line throws(CommandFailure) in
        guard let record = reader.read(line) else {
          if !line.isEmpty { unreadable += 1 }
          return
        }
        apps.note(record)
        if filter.matches(record) { try Self.show(record, line, output, format) }
      }
      Self.tell(unreadable, of: file)
    }
    try output.flush()
  }

  private func showAdvice(_ filter: LogFilter) throws {
    let format = options.format
    let counts = counts
    let output = Output()
    var log = AdvisedLog(filter)
    for file in files {
      let unreadable = try log.read(file, beforeWaiting: output.flush) { record, line throws(CommandFailure) in
        if !counts { try Self.show(record, line, output, format) }
      }
      Self.tell(unreadable, of: file)
    }
    switch format {
    case .text:
      if !counts, log.tally.decisions > 0 { try output.line("") }
      try log.tally.printText(top: top, to: output)
    case .json: try log.tally.printJSON(top: top, to: output)
    }
    try output.flush()
  }

  static func tell(_ unreadable: Int, of file: String) {
    guard unreadable > 0 else { return }
    StandardError.say("\(file.escapedForDisplay): \(unreadable) lines are no records; `log verify` says more")
  }

  private static func show(
    _ record: LogRecord, _ line: Span<UInt8>, _ output: Output, _ format: OutputFormat
  ) throws(CommandFailure) {
    if format == .text { return try output.line(record.line) }
    output.append(json: line)
    try output.endLine()
  }

  private func filter() throws(CommandFailure) -> LogFilter {
    var filter = LogFilter()
    filter.since = since?.milliseconds
    filter.until = until?.milliseconds
    (filter.rule, filter.type) = (rule, type)
    let members = [
      "app": app, "outcome": outcome, "reason": reason, "viewer": viewer, "exception": exception, "id": id,
    ]
    for (name, text) in members { filter[name] = text }
    filter["uid"] = uid.map(String.init)
    for field in fields {
      let texts: Set = field.isAccount ? [field.text, try pseudonym(of: field.text)] : [field.text]
      filter.members[field.name] = filter.members[field.name]?.intersection(texts) ?? texts
    }
    if let account { filter.account = [account, try pseudonym(of: account)] }
    return filter
  }

  /// The account itself without a key: a log may name accounts plainly.
  private func pseudonym(of account: String) throws(CommandFailure) -> String {
    let key = key ?? files.lazy.compactMap(LogFiles.key).first
    guard var pseudonyms = try AccountPseudonyms.read(key) else { return account }
    return pseudonyms.name(of: account)
  }
}

/// The apps that a log has records of.
private struct SeenApps {
  private(set) var names: Set<String> = []

  /// Maximum number of remembered apps, for a user who asked for another one.
  private static let maximum = 1000

  mutating func note(_ record: LogRecord) {
    guard let app = record["app"], names.count < Self.maximum, !names.contains(app) else { return }
    names.insert(app)
  }

  var words: String {
    names.isEmpty ? "the log names none" : "known are \(names.sorted().prefix(20).map(\.self).quotedList)"
  }
}

/// A field of a decision and its text, as a person writes them: `mustEncrypt=true`.
struct LoggedField: Sendable {
  let name: String
  let text: String
  let isAccount: Bool

  static func read(_ argument: String) throws -> LoggedField {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let known = DecisionField.inRecords.filter { $0.field != .advice }
    guard parts.count == 2, let found = known.first(where: { $0.name.description == parts[0] }) else {
      let names = known.map(\.name.description).sorted().quotedList
      throw ValidationError("`\(argument.escapedForDisplay)` is no FIELD=TEXT; known fields are \(names)")
    }
    return LoggedField(name: parts[0], text: parts[1], isAccount: found.field.kind.isAccount)
  }
}

/// A time as a person writes it.
struct LogTime: Sendable, Hashable {
  /// Since 1970.
  let milliseconds: UInt64

  static func read(_ text: String) throws -> LogTime {
    guard let milliseconds = RFC3339.milliseconds(text) else {
      throw ValidationError("`\(text.escapedForDisplay)` is no time; write it as 2026-11-21T02:39:29Z or 2026-11-21")
    }
    return LogTime(milliseconds: milliseconds)
  }
}
