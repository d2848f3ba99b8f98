import FuzzSupport
import GuardModel
import EmbeddedGuard
import JSONText
import TestSupport

/// The daemon behind its socket, as the programs of a ``ClipDesk`` ask it.
struct WireClips: ClipWorld {
  private static let features: [[JSONTree]] = [
    ["clipEcho", "wrap", "plainText"], ["wrap", "plainText"], ["clipEcho", "wrap", "plainText"],
  ]

  private let daemon: EmbeddedGuard
  private var programs: [AskingProgram] = []
  /// The daemon that the programs know.
  private var starts: Int

  init(_ daemon: EmbeddedGuard, uid: UInt32) throws {
    (self.daemon, starts) = (daemon, daemon.starts)
    for (number, features) in Self.features.enumerated() {
      programs.append(
        try AskingProgram(daemon, uid: uid, app: number == 2 ? "notes" : "desk", features: features))
      show(programs[number])
    }
  }

  private func show(_ program: AskingProgram) {
    program.tell("SetIdentity", ["level": "process", "account": ""])
    program.tell("SetIdentity", ["level": "window", "window": "w", "account": "work@contoso.com"])
    for (viewer, window) in [("work", "w"), ("free", "f")] {
      program.tell("RegisterViewer", ["viewer": .string(viewer), "window": .string(window)])
    }
  }

  /// The programs come back to a daemon that somebody restarted.
  mutating func comeBack() throws {
    guard starts != daemon.starts else { return }
    starts = daemon.starts
    for number in programs.indices {
      try programs[number].comeBack(asItself: true)
      show(programs[number])
    }
  }

  mutating func pass(milliseconds: UInt64) throws {
    daemon.advance(milliseconds: Int64(milliseconds))
  }

  mutating func tell(_ report: ClipReport) throws -> ClipAnswer {
    let method = [EventKind.copy: "Copy", .paste: "Paste"][report.kind] ?? "ClipboardChanged"
    let answer = programs[report.program].call(method, ["event": event(report)])
    if report.isWithheld { require(answer.error == "LimitReached", "nothing is answered: \(answer.tree)") }
    let decision = answer.decisions.first
    let words = [decision?["outcome"]?.string, decision?["reason"]?.string, answer.error].compactMap(\.self)
    return ClipAnswer(
      isAllowed: decision?["outcome"] == "allow", words: words.joined(separator: " "),
      proposal: decision?["proposal"]?.string.flatMap { ProposalID($0) })
  }

  private func event(_ report: ClipReport) -> JSONTree {
    var members: [JSONTree.Member] = [.init("viewer", .string(report.viewer)), .init("selection", "clipboard")]
    if let length = report.length { members.append(.init("length", .int(Int64(length)))) }
    if report.selfOwned != .unknown { members.append(.init("selfOwned", .bool(report.selfOwned == .yes))) }
    if let proposal = report.proposal { members.append(.init("proposal", .string(proposal.text))) }
    // Longer than any name may be.
    if report.isWithheld { members.append(.init("method", .string(String(repeating: "x", count: 300)))) }
    return .object(members)
  }

  mutating func end(_ program: Int) throws {
    programs[program].close()
    // Its instance ends when nobody comes back in time.
    daemon.advance(milliseconds: 3_000)
    try programs[program].comeBack(asItself: false)
    show(programs[program])
  }

  mutating func restart() throws {
    try daemon.restart()
    try comeBack()
  }

  mutating func reload() throws { try daemon.reload() }

  func close() { for program in programs { program.close() } }
}
