internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// The script of `mock`: the calls that an app has to make, in their order, and the answers that it gets.
///
///     expect:
///       - { call: Navigate, with: { url: "https://a.example/" }, decision: { outcome: block, reason: external } }
///       - { call: Copy, error: LimitReached }
///       - { call: Print, silence: true }
struct MockScript {
  struct Step {
    /// The method without its interface.
    let call: String
    /// Members that the parameters of the call must have: those of its `event` for a question.
    let parameters: JSONTree
    let answer: Answer
    /// `file:line:column`
    let location: String
  }

  enum Answer: Equatable {
    /// The usual answer, with these members in place of its own.
    case reply(JSONTree)
    /// The usual decision, with these members.
    case decision(JSONTree)
    case error(String, JSONTree)
    case silence
    case hangUp
  }

  let steps: [Step]
  /// Calls beside the script that cost nothing: `Attach` and the statements of state, unless the script says otherwise.
  let ignored: Set<String>

  static let standardIgnored: Set<String> = [
    "Attach", "WhoAmI", "RegisterViewer", "SetDocument", "ForgetViewer", "SetWebViewPolicy", "SetExternalURLRules",
    "SetIdentity", "Subscribe",
  ]

  static func load(_ path: String) throws(CommandFailure) -> MockScript {
    let bytes = try FileBytes.read(path, limit: 1 << 22)
    var diagnostics = Diagnostics()
    let root = YAMLReader.read(bytes.span, file: path, into: &diagnostics)
    guard let root, let top = root.mapping, !diagnostics.hasErrors else {
      throw CommandFailure("`\(path.escapedForDisplay)` is no script: \(diagnostics.description)")
    }
    for entry in top.entries where !["expect", "ignore"].contains(entry.key) {
      let problem = "\(entry.key.quoted) is no part of a script; it has `expect` and `ignore`"
      throw CommandFailure("\(entry.keyLocation): \(problem)")
    }
    var steps: [Step] = []
    for item in top["expect"]?.sequence ?? [] { steps.append(contentsOf: try step(item)) }
    let ignored = top["ignore"]?.sequence?.compactMap { $0.scalar?.text }
    return MockScript(steps: steps, ignored: ignored.map(Set.init) ?? standardIgnored)
  }

  private static let keys: Set<String> = [
    "call", "with", "times", "reply", "decision", "error", "parameters", "silence", "hangUp",
  ]

  private static func step(_ node: YAMLNode) throws(CommandFailure) -> [Step] {
    let tree = JSONTree(node)
    let place = "\(node.location)"
    guard let call = tree["call"]?.string, case .object(let members) = tree else {
      throw CommandFailure("\(place): a step names its `call`")
    }
    for member in members where !keys.contains(member.key) {
      throw CommandFailure("\(place): \(member.key.quoted) is no part of a step; known are \(keys.sorted().quotedList)")
    }
    let kinds = ["reply", "decision", "error", "silence", "hangUp"].filter { tree[$0] != nil }
    guard kinds.count <= 1 else { throw CommandFailure("\(place): a step has one answer, not \(kinds.quotedList)") }
    guard let times = Int(exactly: tree["times"]?.int ?? 1), (1...100_000).contains(times) else {
      throw CommandFailure("\(place): `times` is a number from 1 to 100000")
    }
    let step = Step(call: call, parameters: tree["with"] ?? .object([]), answer: answer(tree), location: place)
    return Array(repeating: step, count: times)
  }

  private static func answer(_ tree: JSONTree) -> Answer {
    if let error = tree["error"]?.string { return .error(error, tree["parameters"] ?? .object([])) }
    if let decision = tree["decision"] { return .decision(decision) }
    if tree["silence"]?.bool == true { return .silence }
    if tree["hangUp"]?.bool == true { return .hangUp }
    return .reply(tree["reply"] ?? .object([]))
  }
}

extension JSONTree {
  /// A value of a YAML file, by the types of the core schema.
  init(_ node: YAMLNode) {
    switch node.content {
    case .refused: self = .null
    case .sequence(let items): self = .array(items.map { JSONTree($0) })
    case .mapping(let mapping): self = .object(mapping.entries.map { Member($0.key, JSONTree($0.value)) })
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: self = .null
      case .bool: self = .bool(scalar.text.lowercased() == "true")
      case .int: self = Int64(scalar.text).map(JSONTree.int) ?? .string(scalar.text)
      case .float: self = Double(scalar.text).map(JSONTree.double) ?? .string(scalar.text)
      case .string: self = .string(scalar.text)
      }
    }
  }

  /// Whether this has all that `wanted` has: objects by their members, everything else as it is.
  func has(_ wanted: JSONTree) -> Bool {
    guard case .object(let members) = wanted else { return self == wanted }
    return members.allSatisfy { member in self[member.key].map { $0.has(member.value) } ?? (member.value == .null) }
  }

  /// With the members of another object in place of its own.
  func replacing(with other: JSONTree) -> JSONTree {
    guard case .object(let old) = self, case .object(let new) = other else { return other }
    let kept = old.filter { member in !new.contains { $0.key == member.key } }
    return .object(kept + new)
  }
}
