internal import GuardModel
internal import GuardProtocol
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

  /// The script of a file; with all its problems at once when it is none.
  static func load(_ path: String) throws(CommandFailure) -> MockScript {
    let bytes = try FileBytes.read(path, limit: 1 << 22)
    var diagnostics = Diagnostics()
    let root = YAMLReader.read(bytes.span, file: path, into: &diagnostics)
    let script = root?.decode(.mapping { MockScript(&$0) }, into: &diagnostics)
    guard let script, !diagnostics.hasErrors else {
      throw CommandFailure("`\(path.escapedForDisplay)` is no script:\n\(diagnostics.description)")
    }
    return script
  }

  private init?(_ reader: inout MappingReader) {
    let steps = reader.required("expect", .list(of: .mapping { MockScript.steps(&$0) }))
    let ignored = reader.optional("ignore", .list(of: .word(among: Self.methods, "a method")))
    guard let steps else { return nil }
    (self.steps, self.ignored) = (steps.flatMap(\.self), ignored.map(Set.init) ?? Self.standardIgnored)
  }

  /// What an app may call.
  private static let methods =
    ServiceMethod.allCases.map(\.rawValue) + GuardMethod.allCases.map(\.rawValue)
    + AccountsMethod.allCases.map(\.rawValue)

  private static func steps(_ reader: inout MappingReader) -> [Step]? {
    let call = reader.required("call", .word(among: methods, "a method"))
    let parameters = reader.value("with", .members, default: .object([]))
    let times = reader.value("times", .int(in: 1...100_000), default: 1)
    let answer = answer(&reader)
    guard let call, let answer else { return nil }
    if !answer.isError, let member = memberThatNoCallHas(call, parameters) {
      let said = "\(member.quoted) is no member of \(call), or its value is none"
      reader.error(.unknownValue, at: "with", said, hint: "a call with it is refused, and does not come")
      return nil
    }
    let place = "\(reader.location)"
    return Array(repeating: Step(call: call, parameters: parameters, answer: answer, location: place), count: times)
  }

  /// A member for which every daemon refuses the call, so that the step could never be met.
  private static func memberThatNoCallHas(_ call: String, _ parameters: JSONTree) -> String? {
    let method = GuardMethod(rawValue: call)
    let isEvent = method?.event != nil && parameters["event"] == nil
    let interface = method == nil ? "org.webviewguard.Accounts." : "org.webviewguard.Guard."
    let whole: JSONTree = [
      "method": .string(interface + call), "parameters": isEvent ? ["event": parameters] : parameters,
    ]
    do throws(ServiceError) {
      _ = try whole.methodAsEveryDaemonReadsIt()
    } catch {
      // Others are missing there, since a step names those that matter.
      if case .invalidParameter(let name) = error, parameters.names(name) { return name }
    }
    return nil
  }

  /// The one answer of a step: the usual one when it states none.
  private static func answer(_ reader: inout MappingReader) -> Answer? {
    let kind = reader.atMostOne(of: ["reply", "decision", "error", "silence", "hangUp"])
    let about = reader.optional("parameters", .members)
    if about != nil, kind != "error" {
      reader.error(.conflictingKeys, at: "parameters", "`parameters` are those of an `error`", hint: "use `reply`")
      return nil
    }
    switch kind {
    case "reply": return reader.optional("reply", .members).map { .reply($0) }
    case "decision": return reader.optional("decision", .decision).map { .decision($0) }
    case "error": return reader.optional("error", .nonEmptyString).map { .error($0, about ?? .object([])) }
    case "silence": return reader.optional("silence", .yes).map { _ in .silence }
    case "hangUp": return reader.optional("hangUp", .yes).map { _ in .hangUp }
    default: return .reply(.object([]))
    }
  }
}

extension YAMLDecoder where Value == String {
  /// One of some words, of which there may be too many for a message.
  fileprivate static func word(among words: [String], _ what: String) -> Self {
    YAMLDecoder(what) { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      if words.contains(text) { return text }
      diagnostics.error(
        .unknownValue, at: node.location, "\(text.quoted) is not \(what)",
        hint: Suggestion.nearest(to: text, among: words).map { "did you mean \($0.quoted)?" })
      return nil
    }
  }
}

extension YAMLDecoder where Value == Bool {
  /// `true`: a step that is not silent has no such key.
  fileprivate static var yes: Self {
    .checked(.bool, .unknownValue, hint: "leave it out") { $0 ? nil : "it is `true`, or not there" }
  }
}

extension YAMLDecoder where Value == JSONTree {
  /// Members of a call or a reply.
  fileprivate static var members: Self {
    YAMLDecoder("a mapping") { node, diagnostics in
      if node.mapping != nil { return JSONTree(node) }
      diagnostics.wrongType(node, expected: "a mapping")
      return nil
    }
  }

  /// Members of a decision. An outcome that no client knows is taken for `block`, which a test may never notice.
  fileprivate static var decision: Self {
    YAMLDecoder("a mapping") { node, diagnostics in
      guard let tree = node.decode(.members, into: &diagnostics) else { return nil }
      let outcomes = Outcome.allCases.map(\.name)
      guard let outcome = node.mapping?["outcome"] else { return tree }
      return outcome.decode(.word(among: outcomes, "an outcome"), into: &diagnostics).map { _ in tree }
    }
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

  /// Whether a member here, or within one, has that name.
  fileprivate func names(_ name: String) -> Bool {
    switch self {
    case .object(let members): members.contains { $0.key == name || $0.value.names(name) }
    case .array(let values): values.contains { $0.names(name) }
    default: false
    }
  }

  /// With the members of another object in place of its own.
  func replacing(with other: JSONTree) -> JSONTree {
    guard case .object(let old) = self, case .object(let new) = other else { return other }
    let kept = old.filter { member in !new.contains { $0.key == member.key } }
    return .object(kept + new)
  }
}
