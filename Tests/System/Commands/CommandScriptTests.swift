import Foundation
import Testing

/// Every script beside the vectors, run with the built program.
@Suite struct CommandScriptTests {
  @Test(arguments: CommandScript.names) func runsAsWritten(_ name: String) throws {
    let temporary = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(temporary) }
    let script = try CommandScript(name, temporary: temporary)
    #expect(!script.calls.isEmpty)
    for call in script.calls {
      let run = try CommandRun(
        call.arguments, environment: call.environment, input: call.input, in: CommandScript.directory,
        temporary: temporary)
      let problems = call.problems(of: run)
      #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }
  }

  @Test func theScriptsHoldAllTheirCases() throws {
    let counts = try CommandScript.names.map { try CommandScript($0, temporary: "/none").calls.count }
    #expect(counts.reduce(0, +) == 292)
  }

  @Test func everyScriptIsInTheList() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: CommandScript.directory)
    #expect(files.filter { $0.hasSuffix(".txt") }.sorted() == CommandScript.names.sorted())
  }

  @Test(arguments: ["walk fast", "out too early", "exit never"])
  func aLineThatMeansNothingIsAMistake(_ line: String) throws {
    let temporary = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(temporary) }
    try TextFile.write(Array("# note\n\(line)\n".utf8), to: temporary + "/bad.txt")
    let path = String(repeating: "../", count: 16) + temporary.dropFirst() + "/bad.txt"
    #expect(throws: ScriptError.self) { try CommandScript(path, temporary: temporary) }
  }
}
