import GuardService

/// A connection machine that is told events as words, and tells its answers as words.
///
///     ScriptedConnection.run("enter +{}·{ turn time")    // "{} start late linger"
///
/// Events: `enter`, `+bytes` (`·` is the NUL that ends a frame), `*count` (so many bytes of one frame), `turn` (answers all it
/// may), `turn1` (one piece), `read` (the loop asks), `slow` and `quick` (the peer's socket), `end` (of its input), `gone` (the
/// peer), `leave`, `time` (of half a message), and the pressure: `busy` `idle`, `cut`, `line`, `full` `room`, `hold3` (replies for the log).
///
/// Answers: a frame as it is, `rest`, `tooLong`, `thrown` and `endless` for bytes after the end, `may` or `wait` for `read`,
/// `late` or `anew` for `time`, and the orders `stop`, `start`, `linger`, `read`.
final class ScriptedConnection {
  static let maximumLength = 100_000
  static let pipelinedReplies = 4

  var machine = ConnectionMachine(maximumLength: maximumLength, pipelinedReplies: pipelinedReplies)
  private(set) var pressure = ConnectionMachine.Pressure()
  /// The peer does not take its answers.
  private(set) var isSlow = false
  private(set) var buffer: [UInt8] = []
  private(set) var answers: [String] = []

  static func run(_ script: String) -> String {
    let connection = ScriptedConnection()
    for word in script.split(separator: " ") { connection.tell(word) }
    return connection.answers.joined(separator: " ")
  }

  var isHeldUp: Bool { machine.isHeldUp(under: pressure) }

  func tell(_ word: Substring) {
    switch word {
    case "enter": changing { machine.enter() }
    case "turn": turn(pieces: .max)
    case "turn1": turn(pieces: 1)
    case "read": answers.append(machine.mayRead(under: pressure) ? "may" : "wait")
    case "slow", "quick":
      isSlow = word == "slow"
      changing { machine.setWritable(!isSlow) }
    case "end": changing { machine.endInput() }
    case "gone":
      isSlow = false
      changing { machine.hangUp() }
    case "leave": machine.leave()
    case "time": endTime()
    case "busy": changing { pressure.isBusy = true }
    case "idle": changing { pressure.isBusy = false }
    case "cut": changing { pressure.isCut = true }
    case "line": changing { pressure.isInLine = true }
    case "full": changing { pressure.isSaturated = true }
    case "room": changing { pressure.isSaturated = false }
    case _ where word.hasPrefix("hold"): changing { pressure.heldReplies = Int(word.dropFirst(4)) ?? 0 }
    case _ where word.hasPrefix("*"): receive([UInt8](repeating: 0x61, count: Int(word.dropFirst()) ?? 0))
    default:
      receive(word.dropFirst().utf8.split(separator: [0xC2, 0xB7], omittingEmptySubsequences: false).joined([0]))
    }
  }

  private func changing(_ change: () -> Void) {
    change()
    settle()
  }

  func receive(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard machine.receive(count: bytes.count) else {
      answers.append(machine.sendsWithoutEnd ? "endless" : "thrown")
      return
    }
    buffer += bytes
  }

  private func turn(pieces: Int) {
    pressure.isInLine = false
    for _ in 0..<pieces { guard answerNext() else { break } }
    buffer.removeFirst(machine.discard())
    settle()
  }

  private func answerNext() -> Bool {
    switch machine.next(in: buffer.span, under: pressure) {
    case .none: return false
    case .tooLong: answers.append("tooLong")
    case .frame(let range): answers.append(String(decoding: buffer[range], as: UTF8.self))
    case .rest:
      answers.append("rest")
      pressure.isCut = false
    }
    return true
  }

  private func endTime() {
    let isLate = machine.endTime(under: pressure)
    answers.append(isLate ? "late" : "anew")
    if isLate { settle() }
  }

  private func settle() {
    let orders = machine.settle(under: pressure)
    let names: [(ConnectionMachine.Orders, String)] = [
      (.stopTimer, "stop"), (.startTimer, "start"), (.linger, "linger"), (.read, "read"),
    ]
    answers += names.filter { orders.contains($0.0) }.map(\.1)
  }
}

extension Sequence where Element: Sequence<UInt8> {
  fileprivate func joined(_ separator: [UInt8]) -> [UInt8] { Array(joined(separator: separator)) }
}
