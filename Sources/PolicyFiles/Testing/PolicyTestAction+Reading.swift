internal import GuardModel

extension PolicyTestAction {
  /// The call with its parameters, which stand beside `call`; nil when one is wrong, which has been reported.
  init?(_ call: PolicyTestCall, _ reader: inout MappingReader) {
    if call == .answer {
      guard let action = Self.answer(&reader) else { return nil }
      self = action
      return
    }
    let stated: StateCall? =
      switch call {
      case .registerViewer: Self.registerViewer(&reader)
      case .setDocument: Self.setDocument(&reader)
      case .forgetViewer: Self.viewer(&reader).map(StateCall.forgetViewer)
      case .setWebViewPolicy: Self.setWebViewPolicy(&reader)
      case .setExternalURLRules: Self.setExternalURLRules(&reader)
      case .setIdentity: Self.setIdentity(&reader)
      case .answer: nil
      }
    guard let stated else { return nil }
    self = .call(stated)
  }

  private static func viewer(_ reader: inout MappingReader) -> String? { reader.required("viewer", .nonEmptyString) }

  private static func registerViewer(_ reader: inout MappingReader) -> StateCall? {
    let viewer = viewer(&reader)
    var call = ViewerDescription(viewer ?? "")
    call.className = reader.optional("class", .nonEmptyString)
    call.parent = reader.optional("parent", .nonEmptyString)
    call.window = reader.optional("window", .nonEmptyString)
    call.opener = reader.optional("opener", .nonEmptyString)
    call.kind = reader.optional("kind", .choice(of: ViewerKind.self))
    call.document = reader.optional("document", .string)
    call.policy = reader.optional("policy", .word(WebViewPolicy.allCases.map { ($0.name, $0) }))
    call.ruleSet = reader.optional("ruleSet", .nonEmptyString)
    return viewer == nil ? nil : .registerViewer(call)
  }

  private static func setDocument(_ reader: inout MappingReader) -> StateCall? {
    let viewer = viewer(&reader)
    let document = reader.value("document", .stringOrNull, default: nil)
    return viewer.map { .setDocument(viewer: $0, document: document) }
  }

  private static func setWebViewPolicy(_ reader: inout MappingReader) -> StateCall? {
    let viewer = viewer(&reader)
    let policy = reader.required("policy", .word(WebViewPolicy.allCases.map { ($0.name, $0) }))
    guard let viewer, let policy else { return nil }
    return .setWebViewPolicy(viewer: viewer, policy)
  }

  private static func setExternalURLRules(_ reader: inout MappingReader) -> StateCall? {
    let viewer = viewer(&reader)
    let ruleSet = reader.value("ruleSet", .stringOrNull, default: nil)
    return viewer.map { .setExternalURLRules(viewer: $0, ruleSet: ruleSet) }
  }

  private static func setIdentity(_ reader: inout MappingReader) -> StateCall? {
    guard let level = reader.required("level", .choice(of: IdentityTarget.self)) else {
      reader.passOver()
      return nil
    }
    var statement = IdentityStatement(level)
    if level == .window {
      guard let window = reader.required("window", .nonEmptyString) else { return nil }
      statement.window = window
      _ = reader.atMostOne(of: ["account", "accounts"])
      statement.accounts = reader.optional("accounts", .list(of: .string, atLeast: 1))
    }
    statement.account = reader.value("account", .stringOrNull, default: nil)
    return .setIdentity(statement)
  }

  private static func answer(_ reader: inout MappingReader) -> Self? {
    let number = YAMLDecoder<SwitchRequestID>.parsed(
      as: "the number of a request", .invalidRequest,
      hint: "write it as in `switch-0000000000000001-1`, or leave it out"
    ) { SwitchRequestID($0) }
    let request = reader.optional("request", number)
    return reader.required("result", .choice(of: SwitchResult.self)).map { result in
      request.map { .call(.answer(request: $0.text, result)) } ?? .answerLast(result)
    }
  }
}

extension YAMLDecoder where Value == String? {
  /// Text, or `null` for nothing, as on the wire.
  fileprivate static var stringOrNull: Self {
    Self("a string or null") { node, diagnostics in
      node.isNull ? .some(nil) : node.decode(.string, into: &diagnostics).map(Optional.some)
    }
  }
}
