import GuardService
import TestSupport
import Testing

/// What a connection does next, without a socket: each row is a script and the answers to it.
@Suite struct ConnectionMachineTests {
  private static func check(_ script: String, _ expected: String, _ location: SourceLocation) {
    #expect(ScriptedConnection.run(script) == expected, "\(script)", sourceLocation: location)
  }

  @Test(
    arguments: [
      ("enter +{}· turn", "{}"),
      ("enter +{}·[]· turn", "{} []"),
      ("enter +{ turn +} turn +· turn", "start {} stop"),
      ("enter +{ +} +· turn", "{}"),
      // An empty frame is a frame: the reader of messages refuses it.
      ("enter +··x· turn", "  x"),
      ("enter +a·b turn +c· turn", "a start bc stop"),
      // Nothing is answered for a peer whose user is not known yet, and nothing is lost of it.
      ("+a· turn", ""),
      ("+a· turn enter turn", "a"),
      ("read enter", "wait read"),
      ("+a·b turn1 enter turn1 turn1 turn1", "a start"),
    ])
  func framesAreAnsweredHoweverTheyArrive(_ script: String, _ expected: String) {
    Self.check(script, expected, #_sourceLocation)
  }

  @Test(
    arguments: [
      // One whole frame begins the time anew; the rest of a frame does not.
      ("enter +a turn +b turn +c turn time", "start late linger"),
      ("enter +a turn +·b turn time", "start a stop start late linger"),
      ("enter +a turn +·b·c turn", "start a b stop start"),
      ("enter +a turn +· turn time", "start a stop late linger"),
      // It is the daemon that does not read on: its answers wait for the log, or for the peer.
      ("enter +a turn busy time idle time", "start stop anew start late linger"),
      ("enter +a turn slow quick", "start stop start"),
      ("enter +a turn full room", "start stop start"),
      ("enter +a turn hold4 hold3", "start stop start"),
      ("enter +a turn hold3 time", "start late"),
      ("enter +a turn hold3 time hold0", "start late linger"),
      // Bytes that nobody looked at yet may end the frame.
      ("enter +a turn +· time turn", "start anew a"),
      ("enter +a·b cut turn time", "rest a start late linger"),
      // No time runs between two messages.
      ("enter +a· turn +b· turn", "a b"),
    ])
  func halfAMessageHasItsTime(_ script: String, _ expected: String) {
    Self.check(script, expected, #_sourceLocation)
  }

  @Test(
    arguments: [
      ("enter read", "may"),
      // A slow reader of answers is not read from, and its calls wait.
      ("enter slow +a· turn read quick turn", "wait read a"),
      // The log is behind by as many replies as may be pipelined.
      ("enter +a·b· hold4 turn read hold3 turn", "wait read a b"),
      ("enter hold3 read", "may"),
      ("enter busy read turn idle", "wait read"),
      ("enter full read turn room", "wait read"),
      // Two reasons to wait: both must go.
      ("enter full slow read room quick", "wait read"),
      ("enter full busy read idle room read", "wait read may"),
      // A flood waits in the socket while enough waits here; a long message is read to its end.
      ("enter *65535 read", "may"),
      ("enter *65536 read", "wait"),
      ("enter *65536 read turn", "wait start read"),
      (
        "enter *65536 turn *30000 turn read +· turn1 read", "start may \(String(repeating: "a", count: 95536)) stop may"
      ),
      ("enter *65536 +· read turn", "wait \(String(repeating: "a", count: 65536)) read"),
      // Between a turn and the next, frames wait that count.
      ("enter +a·b· *65536 turn1 read turn", "a wait b start read"),
      // The loop asks twice and is told once.
      ("enter slow read read quick quick", "wait wait read"),
    ])
  func readingStopsWhileAnswersWait(_ script: String, _ expected: String) {
    Self.check(script, expected, #_sourceLocation)
  }

  @Test(
    arguments: [
      ("enter cut +a· turn1 turn1", "rest a"),
      ("enter cut slow turn quick turn", "rest"),
      ("enter cut end turn", "rest linger"),
      ("enter cut busy turn idle turn", "rest"),
    ])
  func aCutCallGoesOnBeforeTheNext(_ script: String, _ expected: String) {
    Self.check(script, expected, #_sourceLocation)
  }

  @Test(
    arguments: [
      ("enter end", "linger"),
      // What was sent before the end is answered; half a message is not waited for.
      ("enter +a·b· end turn", "a b linger"),
      ("enter +a·b end turn", "a start linger"),
      ("enter +a· line end turn", "a linger"),
      ("enter +a· turn line end", "a"),
      ("enter +a· slow end turn quick turn", "a linger"),
      ("enter +a· turn hold1 end hold0", "a linger"),
      ("enter +a· turn busy end idle", "a linger"),
      ("enter full end room", "linger"),
      // The user is not known yet.
      ("end", ""),
      ("+a· end enter turn", "a linger"),
      ("enter end end", "linger"),
      ("enter end +a turn", "linger thrown"),
      ("enter end read", "linger may"),
    ])
  func allThatWasSentIsAnsweredBeforeTheEnd(_ script: String, _ expected: String) {
    Self.check(script, expected, #_sourceLocation)
  }

  @Test(
    arguments: [
      ("enter gone", "linger"),
      ("enter +a·b· gone turn", "a b linger"),
      ("enter +a·b· gone turn1 turn1", "a b linger"),
      ("enter +a·b gone turn", "a start linger"),
      ("enter cut +a· gone turn", "rest a linger"),
      // Nobody reads the answers: the peer's socket is no reason to wait.
      ("enter slow +a·b· gone turn", "a b linger"),
      // The log, the user's share and a call under way still are.
      ("enter hold4 +a· gone turn hold3 turn hold0", "a linger"),
      ("enter +a·b· turn1 busy gone turn idle turn", "a b linger"),
      ("enter full +a· gone turn room turn", "a linger"),
      // The peer went before its user was known.
      ("+a· gone enter turn", "a linger"),
      ("gone enter", "linger"),
      ("gone", ""),
      // It went after the end of its input, or after it was refused.
      ("enter +a· end gone turn", "a linger"),
      ("enter +a·b· turn1 leave gone turn", "a linger"),
      ("enter end gone", "linger linger"),
      ("enter +a· turn leave turn gone", "a linger linger"),
    ])
  func allThatWasSentIsAnsweredWhenThePeerIsGone(_ script: String, _ expected: String) {
    Self.check(script, expected, #_sourceLocation)
  }

  @Test(
    arguments: [
      ("enter +a·b· turn1 leave turn", "a linger"),
      ("enter +a· turn leave hold2 hold0 +b· turn", "a linger thrown"),
      ("enter leave +a· turn", "thrown linger"),
      // An answer that waits for the log still leaves, also to a peer that reads slowly.
      ("enter hold1 leave turn slow hold0", "linger"),
      ("enter leave turn end leave turn", "linger"),
      ("enter leave read turn", "may linger"),
      ("enter leave turn *1048576 +a", "linger thrown endless"),
      ("enter *100000 turn +a turn +· turn", "start tooLong stop linger thrown"),
      ("enter *100000 +a·b· turn", "tooLong linger"),
      ("enter hold2 *100001 turn read hold0 +b", "tooLong may linger thrown"),
      ("enter *100000 turn +· turn1", "start \(String(repeating: "a", count: 100_000)) stop"),
    ])
  func nothingIsAnsweredAfterTheLastRefusal(_ script: String, _ expected: String) {
    Self.check(script, expected, #_sourceLocation)
  }

  /// Whoever changes the pressure asks only those that are held up: none may be missed.
  @Test(
    arguments: [
      ("enter", false), ("enter +a turn", false), ("enter slow", false), ("enter slow read", true),
      ("enter slow +a", true), ("enter hold4 +a·", true), ("enter cut", false), ("enter cut full", true),
      ("enter leave", true), ("enter end", true), ("enter +a· line", false),
    ])
  func thoseThatWaitAreKnown(_ script: String, _ isHeldUp: Bool) {
    let connection = ScriptedConnection()
    for word in script.split(separator: " ") { connection.tell(word) }
    #expect(connection.isHeldUp == isHeldUp)
  }
}

/// Scripts at random, checked against what must hold of each of them.
@Suite struct ConnectionMachinePropertyTests {
  private static let frames = (0..<12).map { "f\($0)" }
  private static let pressures = [
    "busy", "idle", "slow", "quick", "full", "room", "hold0", "hold3", "hold4", "cut", "line",
  ]

  /// Whatever the pieces, the turns and the pressure: every frame is answered, once and in order; nothing is answered while it
  /// must wait; and once nothing stands in the way the connection either reads or is at its end.
  @Test func noFrameIsLostDoubledOrTooEarly() {
    for seed in 0..<UInt64(Effort.scaled(200_000)) { Self.checkOne(seed) }
  }

  private static func checkOne(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let connection = ScriptedConnection()
    var left = frames.map { "\($0)·" }.joined()[...]
    var (ended, isGone) = (false, false)
    connection.tell("enter")
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      let before = connection.answers.count
      let word = word(&left, &ended, &isGone, &random)
      let mustWait = isPaused(connection)
      connection.tell(word[...])
      let new = connection.answers[before...]
      if mustWait { #expect(!new.contains { $0.hasPrefix("f") || $0 == "rest" }, "seed \(seed): \(word)") }
    }
    for word in ["idle", "quick", "room", "hold0"] { connection.tell(word[...]) }
    if !ended, !left.isEmpty { connection.tell("+\(left)") }
    while connection.machine.hasMore(under: connection.pressure) { connection.tell("turn1") }
    connection.tell("turn")
    let answered = connection.answers.filter { $0.hasPrefix("f") }
    let sent = ended ? frames.prefix(answered.count) : frames[...]
    #expect(answered == Array(sent), "seed \(seed)")
    let ends = connection.answers.count { $0 == "linger" }
    #expect(ended ? (1...2).contains(ends) : ends == 0, "seed \(seed)")
    connection.tell("read")
    #expect(connection.answers.last == "may", "seed \(seed)")
    checkTimer(connection.answers, seed)
  }

  private static func word(
    _ left: inout Substring, _ ended: inout Bool, _ isGone: inout Bool, _ random: inout SeededGenerator
  ) -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3 where !ended && !left.isEmpty:
      let piece = left.prefix(Int.random(in: 1...7, using: &random))
      left = left.dropFirst(piece.count)
      return "+\(piece)"
    case 0..<6: return Bool.random(using: &random) ? "turn" : "turn1"
    case 6: return "read"
    case 7 where !isGone && Int.random(in: 0..<30, using: &random) == 0:
      ended = true
      isGone = Bool.random(using: &random)
      return isGone ? "gone" : "end"
    default: return pressures[Int.random(in: 0..<pressures.count, using: &random)]
    }
  }

  private static func isPaused(_ connection: ScriptedConnection) -> Bool {
    let pressure = connection.pressure
    let isSlow = connection.isSlow
    return pressure.isBusy || pressure.isSaturated || isSlow
      || pressure.heldReplies >= ScriptedConnection.pipelinedReplies
  }

  /// A timer that runs is not started again, and one that does not run is not stopped.
  private static func checkTimer(_ answers: [String], _ seed: UInt64) {
    var runs = false
    for answer in answers where answer == "start" || answer == "stop" {
      #expect(runs == (answer == "stop"), "seed \(seed): \(answers)")
      runs = answer == "start"
    }
  }
}
