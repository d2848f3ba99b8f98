import Glibc

/// The conversation with the driver: a line that begins with "ready", then an answer for each line on standard input.
///
/// The driver lets two programs take turns, so that a machine that slows down slows both.
enum Rounds {
  static func serve(_ ready: String, _ answer: (_ command: Substring) throws -> String) rethrows {
    say("ready " + ready)
    while let line = readLine() { say(try answer(line[...])) }
  }

  /// Loads a judge and serves it: "ready URLS LOAD-NANOSECONDS RESIDENT-BYTES", of processor time and of the judge.
  static func serve<J: Judge & ~Copyable>(_ corpus: Corpus, load: () throws -> J) throws {
    let before = try Memory.resident()
    let start = Clock.process
    var rounds = JudgeRounds(try load())
    let time = Clock.process - start
    let resident = try Memory.resident() - before
    try serve("\(corpus.count) \(time) \(resident)") { try rounds.answer($0, corpus) }
  }

  private static func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
