internal import ArgumentParser
internal import Glibc
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `import`: policies of other products as files of `policy.d`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Take policies of other products over.", subcommands: [Intune.self])

  /// `import intune`
  struct Intune: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "intune", abstract: "Make protections of the app protection policies of Microsoft Intune.",
      discussion: """
        Reads JSON as Microsoft Graph gives it: one policy, or a list under `value`. Writes a file of `policy.d` for each, \
        every line with the setting that it comes from, and says of each setting what became of it. A setting that cannot \
        be said becomes a stricter one, never a weaker one. Nothing that is imported deletes anything: a wipe becomes a \
        block. Ends with 0 when everything was taken as it is, and with 1 when somebody should read what was not.
        """)

    @Argument(help: "Files of JSON.", completion: .file(extensions: ["json"]))
    var files: [String]

    @Option(help: "A configuration directory to write into; left out, the files are printed.", completion: .directory)
    var into: String?

    @Option(help: "An account, or a pattern such as `*@contoso.com`, that the protections bind; can be repeated.")
    var account: [String]

    @OptionGroup var options: FormatOptions

    func validate() throws {
      if files.isEmpty { throw ValidationError("name a file") }
      let bad = account.first { $0.isEmpty || $0.contains { $0.isWhitespace || "\"'\\,[]{}#".contains($0) } }
      if account.isEmpty || bad != nil { throw ValidationError("--account takes an account, or `*@` and a domain") }
    }

    func run() throws {
      var names: Set<String> = []
      var reports: [JSONTree] = []
      var lines: [String] = []
      var isExact = true
      for policy in try files.flatMap(Self.read) {
        let name = Self.free(policy.name, &names)
        let text = policy.protection(accounts: account, name: name)
        let place = try into.map { try Self.write(text, to: $0, name) }
        lines += place.map { ["wrote `\($0)`"] } ?? text.split(separator: "\n").map(String.init)
        lines += TextTable(["FATE", "SETTING", "VALUE", "HERE"], policy.findings.map(Self.row)).lines
        reports.append(Self.report(policy, name, place))
        isExact = isExact && policy.findings.allSatisfy(\.isExact)
      }
      try options.print(.array(reports), lines: lines)
      if !isExact { throw ExitCode(1) }
    }

    /// 16 MiB: a tenant has some dozens of policies of 50 KiB.
    private static let maximumFile = 16 << 20

    private static func read(_ path: String) throws -> [IntunePolicy] {
      let bytes = try FileBytes.read(path, limit: maximumFile)
      guard let tree = try? JSONTree(parsing: bytes.span, maximumLength: maximumFile) else {
        throw CommandFailure("`\(path.escapedForDisplay)` is no JSON")
      }
      let policies = (tree["value"]?.array ?? tree.array ?? [tree]).map { IntunePolicy($0) }
      guard !policies.isEmpty, policies.allSatisfy({ $0 != nil }) else {
        throw CommandFailure("`\(path.escapedForDisplay)` holds something else than app protection policies")
      }
      return policies.compactMap(\.self)
    }

    /// Two policies may have one title.
    private static func free(_ name: String, _ names: inout Set<String>) -> String {
      var number = 1
      while !names.insert(number == 1 ? name : "\(name)-\(number)").inserted { number += 1 }
      return number == 1 ? name : "\(name)-\(number)"
    }

    private static func write(_ text: String, to directory: String, _ name: String) throws -> String {
      let path = "\(directory)/policy.d/\(name).yaml"
      guard FileStatus(entry: path) == nil else {
        throw CommandFailure("`\(path.escapedForDisplay)` exists; nothing was written over it")
      }
      for place in [directory, "\(directory)/policy.d"] {
        guard mkdir(place, 0o755) == 0 || errno == EEXIST else { throw CommandFailure("make", place) }
      }
      do throws(SystemError) { try SmallFile.replace(path, with: Array(text.utf8), mode: 0o644) } catch {
        throw CommandFailure(error.call, error.path, error.words)
      }
      return path
    }

    private static func row(_ finding: ImportFinding) -> [String] {
      [finding.fate.rawValue, finding.member, finding.value, finding.words]
    }

    private static func report(_ policy: IntunePolicy, _ name: String, _ place: String?) -> JSONTree {
      let findings = policy.findings.map { finding -> JSONTree in
        [
          "member": .string(finding.member), "value": .string(finding.value), "fate": .string(finding.fate.rawValue),
          "words": .string(finding.words),
        ]
      }
      return [
        "title": .string(policy.title), "kind": .string(policy.kind), "protection": .string(name),
        "file": place.map(JSONTree.string) ?? .null, "findings": .array(findings),
      ]
    }
  }
}
