import Glibc
import TestSupport

/// A script of calls of the program, with what must come of them. The format is described beside the scripts.
struct CommandScript {
  let calls: [ScriptedCall]

  /// Every script, by name.
  static let names = [
    "check.txt", "classify.txt", "daemon.txt", "decide.txt", "diff.txt", "diff-settings.txt",
    "explain-classify.txt", "explain-decide.txt",
    "explain-lists.txt", "export.txt", "help.txt", "init.txt", "log.txt", "test.txt", "test-boundaries.txt",
    "test-coverage.txt", "url.txt",
  ]

  /// Where the scripts lie, and where their calls run.
  static let directory = Repository.root + "/Tests/Vectors/commands"

  /// Reads a script; `temporary` is what `{temp}` stands for.
  init(_ name: String, temporary: String) throws {
    let text = try TextFile.read(Self.directory + "/" + name)
    var reader = ScriptReader(script: name, temporary: temporary)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { try reader.read(String(line)) }
    calls = reader.finish()
  }
}

/// One call of a script.
struct ScriptedCall {
  /// `classify.txt:2`
  let place: String
  var arguments: [String]
  var environment: [String] = []
  var input: [UInt8] = []
  var output: [String] = []
  /// Texts that standard output must contain, in place of `output`.
  var contained: [String] = []
  var errors: [String] = []
  var status: Int32 = 0

  /// What went wrong with its run; empty when all is as it must be.
  func problems(of run: CommandRun) -> [String] {
    var problems: [String] = []
    if run.status != status { problems.append("exit status \(run.status), expected \(status)") }
    if contained.isEmpty {
      let expected = output.map { $0 + "\n" }.joined()
      if run.output != expected { problems.append("printed\n\(run.output)expected\n\(expected)") }
    }
    for text in contained where !run.output.contains(text) { problems.append("did not print `\(text)`") }
    for text in errors where !run.errors.contains(text) { problems.append("did not say `\(text)` but\n\(run.errors)") }
    if errors.isEmpty, !run.errors.isEmpty { problems.append("said\n\(run.errors)") }
    return problems.isEmpty ? [] : ["\(place): \(arguments.joined(separator: " "))"] + problems
  }
}

/// Why a script cannot be run.
struct ScriptError: Error, CustomStringConvertible {
  let description: String
}

/// Reads a script line by line.
private struct ScriptReader {
  let script: String
  let temporary: String
  private var number = 0
  private var calls: [ScriptedCall] = []
  private var environment: [String] = []
  private var input: [UInt8] = []

  init(script: String, temporary: String) {
    self.script = script
    self.temporary = temporary
  }

  mutating func finish() -> [ScriptedCall] { calls }

  mutating func read(_ line: String) throws {
    number += 1
    guard !line.isEmpty, !line.hasPrefix("#") else { return }
    let space = line.firstIndex(of: " ") ?? line.endIndex
    let text = filled(String(line[space...].dropFirst()))
    switch line[..<space] {
    case "env": environment.append(text)
    case "in": input += Array(text.utf8) + [0x0A]
    case "end": input += Array(text.utf8)
    case "file": input += Array(try TextFile.read(CommandScript.directory + "/" + text).utf8)
    case "run": begin(text)
    case "out": try change { $0.output.append(text) }
    case "has": try change { $0.contained.append(text) }
    case "err": try change { $0.errors.append(text) }
    case "exit":
      guard let status = Int32(text) else { throw mistake("`\(text)` is no exit status") }
      try change { $0.status = status }
    default: throw mistake("`\(line)` is no line of a script")
    }
  }

  private mutating func begin(_ text: String) {
    calls.append(
      ScriptedCall(
        place: "\(script):\(number)", arguments: Self.arguments(text), environment: environment, input: input))
    environment = []
    input = []
  }

  private mutating func change(_ body: (inout ScriptedCall) -> Void) throws {
    guard var call = calls.popLast() else { throw mistake("a result before any call") }
    body(&call)
    calls.append(call)
  }

  private func mistake(_ text: String) -> ScriptError { ScriptError(description: "\(script):\(number): \(text)") }

  /// The text with what stands for something else replaced.
  private func filled(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      result += rest[..<brace]
      rest = rest[brace...]
      if rest.hasPrefix("{temp}") {
        result += temporary
        rest = rest.dropFirst("{temp}".count)
      } else if rest.hasPrefix("{U+"), let end = rest.firstIndex(of: "}"),
        let value = UInt32(rest[..<end].dropFirst(3), radix: 16), let scalar = Unicode.Scalar(value)
      {
        result.unicodeScalars.append(scalar)
        rest = rest[end...].dropFirst()
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }

  private static func arguments(_ text: String) -> [String] {
    var arguments: [String] = []
    var current: String?
    var isQuoted = false
    for character in text {
      switch character {
      case "\"" where current?.hasPrefix("{") != true:
        isQuoted.toggle()
        current = current ?? ""
      case " " where !isQuoted:
        if let argument = current { arguments.append(argument) }
        current = nil
      default: current = (current ?? "") + String(character)
      }
    }
    return arguments + [current].compactMap(\.self)
  }
}
