import DecisionLog
import GuardModel
import GuardProtocol
import PolicyEngine
internal import PolicyTools
import TestSupport
import Testing
import webviewguard

/// An event becomes a record, the record an event again, and that is decided as it was.
@Suite struct ReplayTests {
  @Test(arguments: EventKind.allCases.filter { $0 != .unknown })
  func everyKindIsDecidedAgainAsItWas(_ kind: EventKind) throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ UInt64(kind.rawValue))
    var world = try ReplayWorld()
    for _ in 0..<300 {
      try world.ask(random.oneIn(3) ? .copy : kind, &random)
    }
    let answers = try replay(world)
    #expect(answers.count == world.reports.count)
    var judged = 0
    for (index, pair) in zip(answers, zip(world.kinds, world.reports)).enumerated() {
      let (answer, (asked, expected)) = pair
      guard let answer else { continue }
      judged += asked == kind ? 1 : 0
      #expect(comparable(answer) == comparable(expected), "\(asked) \(index + 1), \(random.note)")
    }
    #expect(judged > 60, "\(judged) of \(kind)")
  }

  /// The reports of the records that hold everything; nil for those that do not. A change of state must always work.
  private func replay(_ world: ReplayWorld) throws -> [DecisionReport?] {
    var rehearsal = OfflineReplay(
      world.snapshot, app: nil, explains: false, least: .full, key: AccountPseudonyms(key: ReplayWorld.key))
    var reader = LogRecordReader()
    var reports: [DecisionReport?] = []
    for line in world.lines {
      let read = reader.read(line.span)
      let record = try #require(read)
      let answer = try rehearsal.answer(line.span)
      switch (record.type, answer) {
      case ("decision", .answer(.decision(let reply, _))): reports.append(reply.report)
      case ("decision", .skipped) where record["replayable"] != "full": reports.append(nil)
      case ("state", .answer), ("state", .done): break
      default: Issue.record("\(record.line): \(answer)")
      }
    }
    return reports
  }

  /// Ids of clips, proposals and switches count what came before, some of which is not judged again.
  private func comparable(_ report: DecisionReport) -> DecisionReport {
    var report = report
    report.clip = report.clip.map { _ in "clip" }
    report.proposal = report.proposal.map { _ in "proposal" }
    report.switchRequest = report.switchRequest.map { _ in "request" }
    // The fragment and what a browser is told are no part of the decision.
    report.open?.url = ""
    return report
  }

  @Test(arguments: [
    ("/home/ada/plan.odt", "plain"), ("/srv/../home/ada/plan.odt", "unreadable"), ("plan.odt", "unreadable"),
  ])
  func aPathThatIsLeftOutStillDecides(_ path: String, _ form: String) throws {
    var world = try ReplayWorld()
    var event = Event(.save)
    event.viewer = event.append("documents")
    event.location = .sharePoint
    event.path = event.append(path)
    event.locationAccount = event.append("work@contoso.com")
    try world.decideAndRecord(event)
    let line = try #require(world.lines.last)
    let text = String(decoding: line, as: UTF8.self)
    #expect(!text.contains("plan") && !text.contains("home") && !text.contains("/ada"))
    #expect(text.contains("\"pathForm\":\"\(form)\""))
    #expect(try replay(world) == world.reports)
    #expect(world.reports.last?.location == (form == "plain" ? .sharePoint : .other))
  }
}
