internal import ArgumentParser
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `explain`: why a decision came out as it did.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Say step by step why a decision came out as it did.",
    discussion: """
      The daemon remembers its latest decisions, with their steps; older ones are read from the decision log, with their \
      rule. The code of a notice is such an id with hyphens, as people read it out; or a word, where the app answered by \
      itself: then it is said what that word means.
      """)

  @Argument(help: "The id of the decision, as the answer and the log have it, or the code of a notice.")
  var decision: String

  @Option(help: "The directory of the decision log; left out, the one of the configuration.", completion: .directory)
  var logDir: String?

  @Option(help: "The configuration directory that names the directory of the log.")
  var config: [String] = []

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    switch NoticeCode(decision) {
    case .decision(let id): try explain(id)
    case .word(let meaning):
      try options.print(["code": .string(decision), "meaning": .string(meaning)], lines: [meaning])
    case nil:
      throw CommandFailure("\(decision.quoted) is neither the id of a decision nor the code of a notice")
    }
  }

  private func explain(_ id: String) throws {
    let asked = Result { () throws(ClientError) in try ask(id) }
    if case .success(let reply) = asked, reply.error == nil {
      let steps = (reply.parameters["steps"]?.array ?? []).compactMap(\.string)
      return try options.print(reply.parameters, lines: steps.enumerated().map { "\($0 + 1). \($1)" })
    }
    if let record = recorded(id) {
      let members = record.members.map { JSONTree.Member($0.name, .string($0.text)) }
      return try options.print(["record": .object(members)], lines: record.explanation)
    }
    switch asked {
    case .success(let reply):
      StandardError.say(reply.errorText(reply.error ?? ""))
      throw ExitCode(1)
    case .failure(let error): throw CommandFailure(error.description.escapedForDisplay)
    }
  }

  private func ask(_ id: String) throws(ClientError) -> VarlinkReply {
    var client = try VarlinkClient(connectingTo: place.path(.forAdministrators), patience: Doctor.patience)
    try client.send("org.webviewguard.Rules.Explain", try CallText(["decision": .string(id)]))
    return try client.receive(until: Deadline(after: Doctor.patience))
  }

  /// The decision in the log, the newest file first; nil where nobody may read that, or where it is not there.
  private func recorded(_ id: String) -> LogRecord? {
    let roots = config.isEmpty ? ConfigurationPlace.standardRoots : config
    let directory = logDir ?? (ConfigurationLoader(roots: roots).load().settings ?? DaemonSettings()).log.directory
    var reader = LogRecordReader()
    var found: LogRecord?
    for file in (try? LogFiles.newestFirst(directory)) ?? [] where found == nil {
      try? LogFiles.forEachLine(of: file, beforeWaiting: {}) { line throws(CommandFailure) in
        guard let record = reader.read(line), record.type == RecordType.decision.rawValue else { return }
        if record["id"] == id { found = record }
      }
    }
    return found
  }
}

/// What a person reads out from a notice: the id of a decision in groups of four digits, or a word where there is none.
///
///     NoticeCode("7353-4481-51")    // .decision("7353448151")
///     NoticeCode("noAnswer")        // .word("the app got no answer …")
enum NoticeCode: Equatable {
  case decision(String)
  /// A sentence on what the word means.
  case word(String)

  init?(_ code: String) {
    let joined = code.filter { $0 != "-" && $0 != " " }
    if !joined.isEmpty, joined.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      self = .decision(joined)
    } else if let meaning = Self.meaning(of: code) {
      self = .word(meaning)
    } else {
      return nil
    }
  }

  private static func meaning(of word: String) -> String? {
    let nobody = "no decision of the daemon, and no record: the app answered by itself, "
    switch word {
    case "noAnswer":
      return nobody + "by the failure contract, since no answer came in time; look at `webviewguard health`"
    case "invalidReply": return nobody + "since what came was no answer"
    case "scopeEnded": return nobody + "since the piece of work that it asked for had ended"
    case "unknown": return "a decision without an id and a reason: the app knows no more of it"
    default: break
    }
    if Refusal.Code(rawValue: word) != nil || ServiceError.words.contains(word) {
      return nobody + "since the daemon refused its question with \(word.quoted)"
    }
    return Reason(rawValue: word).map { reason in
      let text = reason.userText.map { ": \($0)" } ?? ""
      return "no decision with an id of its own: the reason is \(reason.rawValue.quoted)\(text)"
    }
  }
}

extension LogRecord {
  /// A decision of the log in sentences: what was decided, for whom, and by which rule.
  fileprivate var explanation: [String] {
    func named(_ title: String, _ names: [String]) -> String? {
      let texts = names.compactMap { self[$0] }
      return texts.isEmpty ? nil : "\(title): " + texts.joined(separator: ", ")
    }
    let reason = self["reason"].flatMap { Reason(rawValue: $0)?.userText }.map { " (\($0))" } ?? ""
    let rulePlace = self["ruleLocation"].map { ", at " + $0 } ?? ""
    let rule = self["rule"].map { "rule: \(self["ruleSet"] ?? "")/\($0)\(rulePlace)" }
    let decided = "\(self["outcome"] ?? "") since \(self["reason"] ?? "")\(reason)"
    return [
      "\(self["event"] ?? "event") at \(RFC3339.text(milliseconds)): \(decided)",
      named("asked by", ["app", "viewer", "uid"]), named("URL", ["url"]), named("from", ["from"]),
      named("account", ["account"]), named("protection", ["protection"]), rule, named("notes", ["notes"]),
      named("policy", ["generation", "digest"]), "the steps are forgotten; the log keeps their result",
    ].compactMap(\.self)
  }
}
