import Foundation
import JSONText
import PolicyFiles
import TestSupport

/// One acceptance scenario of the shared file, with the checks that a daemon can be asked directly.
struct Scenario: CustomStringConvertible {
  var id: String
  var group: String
  var checks: [ScenarioCheck]

  var description: String { id }
}

/// One check: an event with its circumstances, and the outcome that binds.
///
/// Keys are taken one by one; a key that nobody took fails the check, so that nothing in the file is passed over.
final class ScenarioCheck {
  /// The scenario's id and the check's number in it: `CB-3 1`.
  let name: String
  private let values: [String: YAMLNode]
  private var taken: Set<String> = []

  init(_ node: YAMLNode, name: String) {
    self.name = name
    values = Dictionary(
      uniqueKeysWithValues: (node.mapping?.entries ?? []).map { ($0.key, $0.value) })
  }

  /// The text under a key; nil when the key is not there. `null` is the text "null" only when it was quoted.
  func text(_ key: String) -> String? {
    taken.insert(key)
    guard let node = values[key], !node.isNull else { return nil }
    return node.scalar?.text
  }

  func has(_ key: String) -> Bool {
    taken.insert(key)
    return values[key] != nil
  }

  /// The texts of a sequence under a key; none when the key is not there.
  func texts(_ key: String) -> [String] {
    taken.insert(key)
    return (values[key]?.sequence ?? []).compactMap { $0.scalar?.text }
  }

  /// The items of a sequence under a key; none when the key is not there.
  func nodes(_ key: String) -> [YAMLNode] {
    taken.insert(key)
    return values[key]?.sequence ?? []
  }

  /// The entries of a mapping under a key, in order.
  func entries(_ key: String) -> [(key: String, value: YAMLNode)] {
    taken.insert(key)
    return (values[key]?.mapping?.entries ?? []).map { ($0.key, $0.value) }
  }

  var unknownKeys: [String] { values.keys.filter { !taken.contains($0) }.sorted() }

  /// Who is signed in: as stated, else the managed account.
  func account(default standard: String) -> String { text("active_account") ?? standard }

  /// The outcome or value that binds, and the reason where the file states one, in our spelling.
  var decision: String { text("decision") ?? "" }
  var reason: String? { text("reason").map(camelCase) }

  /// What differs in a decision's reason from the one that is written down here, or else from the one the file states.
  func reasonDifferences(_ decision: JSONTree) -> [String] {
    let stated = reason
    return differences("reason", decision["reason"]?.string, Scenarios.reasons[name] ?? stated ?? "not written down")
  }
}

/// `managed_with_paste_in` is `managedWithPasteIn`: the file writes snake_case, the daemon camelCase.
func camelCase(_ text: String) -> String {
  let words = text.split(separator: "_")
  guard let first = words.first else { return text }
  return words.dropFirst().reduce(String(first)) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
}

enum Scenarios {
  /// Where the file lies: beside the shared data.
  static var file: URL { SharedData.folder.deletingLastPathComponent().appendingPathComponent("spec/scenarios.yaml") }

  /// The reasons of the checks where the file states none, or proposes another name.
  static let reasons: [String: String] = {
    let entries = ((try? lines(of: "scenario-reasons.txt")) ?? []).map { $0.split(separator: " ") }
    let reasons = entries.filter { $0.count == 3 }.map { ("\($0[0]) \($0[1])", String($0[2])) }
    return Dictionary(uniqueKeysWithValues: reasons)
  }()

  /// The scenarios that are not carried out, each with why not.
  static func skipped() throws -> [String: String] {
    let entries = try lines(of: "scenarios-skipped.txt").map { $0.split(separator: " ", maxSplits: 1) }
    guard entries.allSatisfy({ $0.count == 2 }) else {
      throw DaemonFailure(text: "a scenario is skipped without a reason")
    }
    return Dictionary(uniqueKeysWithValues: entries.map { (String($0[0]), String($0[1])) })
  }

  private static func lines(of name: String) throws -> [Substring] {
    let file = URL(filePath: Repository.root).appending(path: "Tests/Vectors/\(name)")
    let text = try String(contentsOf: file, encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
  }

  /// The scenarios, in the order of the file.
  static func load() throws -> [Scenario] {
    var diagnostics = Diagnostics()
    let bytes = Array(try Data(contentsOf: file))
    guard let root = YAMLReader.read(bytes.span, file: "scenarios.yaml", into: &diagnostics), diagnostics.isEmpty else {
      throw DaemonFailure(text: diagnostics.description)
    }
    return (root.mapping?["scenarios"]?.sequence ?? []).compactMap(Scenario.init)
  }
}

extension Scenario {
  init?(_ node: YAMLNode) {
    guard let entry = node.mapping, let id = entry["id"]?.scalar?.text, let group = entry["group"]?.scalar?.text else {
      return nil
    }
    let checks = (entry["daemon"]?.sequence ?? []).enumerated().map { number, check in
      ScenarioCheck(check, name: "\(id) \(number + 1)")
    }
    self.init(id: id, group: group, checks: checks)
  }
}
