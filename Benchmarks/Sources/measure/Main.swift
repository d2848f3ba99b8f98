import Glibc
internal import GuardModel

/// One kind of work a process; the driver `bench` knows the words.
@main
enum Main {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      let text = "measure: error: \(error)\n"
      _ = text.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
      exit(2)
    }
  }

  private static func run(_ arguments: [String]) throws {
    guard let work = arguments.first else { throw MeasureError.usage }
    switch (work, arguments.count) {
    case ("decisions", 1):
      var rounds = try DecisionRounds()
      try Rounds.serve(DecisionRounds.kinds.map(\.name).joined(separator: " ")) { try rounds.answer($0) }
    case ("accounts", 2):
      guard let persons = Int(arguments[1]), persons > 0 else { throw MeasureError.usage }
      let rounds = try AccountRounds(persons: persons)
      try Rounds.serve("\(rounds.accounts) \(rounds.bytesAnAccount)") { try rounds.answer($0) }
    case ("parse", 2): try parse(urls: arguments[1])
    case ("rules", 3...4):
      try Rounds.serve(try Corpus(path: arguments[2])) {
        try RuleJudge(rules: arguments[1], document: arguments.count > 3 ? arguments[3] : nil)
      }
    case ("loop", 3): try Rounds.serve(try Corpus(path: arguments[2])) { try LoopJudge(patterns: arguments[1]) }
    default: throw MeasureError.usage
    }
  }

  private static func parse(urls: String) throws {
    let corpus = try Corpus(path: urls)
    var round = ParseRound()
    Rounds.serve("\(corpus.count)") { _ in round.run(corpus) }
  }
}
