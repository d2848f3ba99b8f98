import FuzzSupport
import GuardModel
import PolicyFiles
internal import PolicyTools
import URLRules

/// What holds of every rule file. The input is `rules/main.yaml`; a line `=== name` begins another file below `rules`.
///
/// Whatever the bytes are: a rule set, or an error that names a place in one of the files.
enum RuleFileProperties {
  private static let main = "main.yaml"
  private static let maximumFiles = 6
  private static let questions = [
    RuleQuestion(url: "https://mail.contoso.com/inbox?q=1", document: "https://docs.contoso.com/d", hop: false),
    RuleQuestion(url: "http://user@evil.example:8080/a/b", from: "https://www.contoso.com/", purpose: .frame),
    RuleQuestion(url: "https://1.2.3.4/"), RuleQuestion(url: "mailto:a@contoso.com"), RuleQuestion(url: "no URL"),
  ]

  static func check(_ bytes: [UInt8]) {
    let files = files(bytes)
    var memory = MemoryFiles([:])
    memory.files = files
    let result = RuleFileLoader(files: memory).load("rules/" + main)
    require((result.ruleSet == nil) == result.diagnostics.hasErrors, "there is a rule set, or an error")
    for diagnostic in result.diagnostics.sorted { check(diagnostic, files) }
    let shown = result.diagnostics.description.unicodeScalars
    require(!shown.contains { $0.value < 0x20 && $0 != "\n" }, "diagnostics have no control characters")
    if let tests = result.tests { ask(tests) }
  }

  private static func check(_ diagnostic: Diagnostic, _ files: [String: [UInt8]]) {
    guard let bytes = files[diagnostic.location.file] else {
      let isFolder = files.keys.contains { $0.hasPrefix(diagnostic.location.file + "/") }
      return require(isFolder, "`\(diagnostic)` names one of the files, or a folder of one")
    }
    let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
    let location = diagnostic.location
    let isPacked = bytes.starts(with: [0x1F, 0x8B])
    require(location.line >= 1 && location.column >= 1, "`\(diagnostic)` has a place")
    require(isPacked || location.line <= lines, "`\(diagnostic)` lies in a file of \(lines) lines")
  }

  private static func ask(_ tests: RuleSetTests) {
    let ruleSet = tests.ruleSet
    let runner = RuleTestRunner(ruleSet)
    for test in tests.tests { _ = runner.run(test).passed }
    for question in questions {
      let verdict = question.ask(ruleSet).verdict
      if let rule = verdict?.rule { require(ruleSet.has(rule), "a rule of the set answers") }
    }
  }

  /// The files of the input, by their paths.
  private static func files(_ bytes: [UInt8]) -> [String: [UInt8]] {
    let mark = Array("\n=== ".utf8)
    var files: [String: [UInt8]] = [:]
    var name = main
    var rest = bytes[...]
    while files.count < maximumFiles {
      let end = rest.firstRange(of: mark)
      files["rules/" + name] = Array(rest[..<(end?.lowerBound ?? rest.endIndex)])
      guard let end else { break }
      let head = rest[end.upperBound...].prefix { $0 != 0x0A }
      name = String(decoding: head, as: UTF8.self)
      rest = rest[head.endIndex...].dropFirst()
    }
    return files
  }
}
