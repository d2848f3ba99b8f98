internal import ArgumentParser
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import PolicyEngine
internal import PolicyFiles
internal import PolicyTools

/// `decide`: decisions without a daemon.
struct DecideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide", abstract: "Decide events without a daemon.",
    discussion: """
      Takes JSON objects, one a line: events {"event":"navigate","viewer":"E","url":...} with the members of the wire's \
      Event; calls {"call":"RegisterViewer","parameters":{...}}; or records of a decision log, which are \
      judged again. Answers each line with one of {"decision":{...}}, {"reply":{...}}, \
      {"error":NAME,"parameters":{...}} and, for records that do not hold enough, {"skipped":REASON}. \
      Plain lines belong to one instance of one app, whose peer is the first that the app's `peers` speak of.
      """)

  @Option(help: "The configuration directory; give it again for further ones, which mask files of the earlier.")
  var config: [String]

  @Option(help: "The app that asks; needed when the policy has several. Of a log only its records are judged.")
  var app: String?

  @Option(help: "What the app of plain lines can do: redact, switchIdentity, warn; give it again for several.")
  var feature: [String] = []

  @Flag(help: "Say with each decision how it came about (`steps`), and what would change it (`changes`).")
  var explain = false

  @Option(help: "How much of its URL a record must hold to be judged again: full, path or host.")
  var replayable = LeastReplayable.full

  @OptionGroup var time: TimeOptions

  @Option(help: "The file with the key of a log's pseudonyms.", completion: .file())
  var key: String?

  @Argument(help: "Events and calls; `-`, which is also taken without any, reads standard input.")
  var events: [String] = ["-"]

  /// The values of `--replayable`.
  enum LeastReplayable: String, ExpressibleByArgument, CaseIterable {
    case full
    case path
    case host
  }

  func validate() throws {
    let known = ClientFeatures.names.map(\.name)
    guard let unknown = feature.first(where: { !known.contains($0) }) else { return }
    throw ValidationError("there is no feature \(unknown.quoted), but \(known.quotedList)")
  }

  func run() throws {
    let output = Output()
    let result = ConfigurationLoader(roots: config).load()
    DiagnosticPrinter.print(result.diagnostics)
    guard let policy = result.policy else { throw CommandFailure("the configuration cannot be loaded") }
    var rehearsal = OfflineReplay(
      policy.snapshot(generation: 1, at: try time.seconds),
      limits: (result.settings ?? DaemonSettings()).limits.state, app: app,
      features: ClientFeatures(words: feature), explains: explain, places: policy.places,
      lists: policy.lists,
      least: Replayability(rawValue: replayable.rawValue) ?? .full, key: try .read(key))
    var isUnderstood = true
    for event in events {
      if event == "-" {
        var input = LineInput()
        while let line = try input.next(beforeWaiting: output.flush) {
          let bytes = input.bytes(line)
          guard !bytes.isBlank else { continue }
          try Self.write(try rehearsal.answer(bytes), to: output, line: input.number, &isUnderstood)
        }
      } else {
        try Self.write(try rehearsal.answer(event.utf8.span), to: output, line: nil, &isUnderstood)
      }
    }
    try output.flush()
    if !isUnderstood { throw ExitCode(CommandFailure.status) }
  }

  private static func write(
    _ answer: ReplayAnswer, to output: Output, line: Int?, _ isUnderstood: inout Bool
  ) throws(CommandFailure) {
    var writer = JSONWriter()
    writer.write(answer)
    output.append(json: writer.span)
    try output.endLine()
    guard case .invalid(let problem) = answer else { return }
    isUnderstood = false
    let place = line.map { "line \($0): " } ?? ""
    StandardError.say("error: \(place)\(problem.escapedForDisplay)")
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ answer: ReplayAnswer) {
    beginObject()
    switch answer {
    case .answer(.decision(let reply, let explained)):
      reply.writeParameters(to: &self)
      if let explained {
        write("steps", explained.steps)
        write("changes", explained.changes)
      }
    case .answer(.reply(let reply)):
      key("reply")
      beginObject()
      reply.writeParameters(to: &self)
      endObject()
    case .done:
      key("reply")
      beginObject()
      endObject()
    case .error(let error):
      member("error", error.qualifiedName)
      key("parameters")
      beginObject()
      error.writeParameters(to: &self)
      endObject()
    case .skipped(let reason): member("skipped", reason)
    case .invalid(let problem):
      member("error", "invalidLine")
      key("parameters")
      beginObject()
      member("problem", problem)
      endObject()
    }
    endObject()
  }

  private mutating func write(_ name: StaticString, _ sentences: [String]) {
    key(name)
    beginArray()
    for sentence in sentences { value(sentence) }
    endArray()
  }
}
