package import GuardModel
package import PolicyEngine

/// One test of a policy: one user's actions in the policy's apps, step by step, and the expected result of each step.
///
///     - name: nothing is pasted outside
///       app: com.contoso.portal
///       steps:
///         - { call: RegisterViewer, viewer: E, class: documents }
///         - { call: SetIdentity, level: process, account: work@contoso.com }
///         - { event: copy, viewer: E, selection: clipboard, length: 5, expect: allow, reason: clipRecorded }
///         - { event: paste, app: org.example.notes, viewer: N, selection: clipboard, expect: block, reason: orgData }
///
/// Every test begins with a daemon that has just started. An app runs once in it, from its first step on.
package struct PolicyTest: Sendable {
  package var name: String?
  package var steps: [PolicyTestStep]
  /// The time at which it begins, in seconds since 1970; nil for a time at which no rule has expired, so that no date
  /// breaks it.
  package var at: Int64?
  /// The apps' abilities beside those of every app.
  package var features: ClientFeatures = []
  /// The user's Unix groups, beside those by which the policy knows an app.
  package var groups: [UInt32] = []
  package var location: SourceLocation

  package init(name: String? = nil, steps: [PolicyTestStep], at: Int64? = nil, location: SourceLocation) {
    self.name = name
    self.steps = steps
    self.at = at
    self.location = location
  }
}

/// One step of a test.
package struct PolicyTestStep: Sendable {
  /// The app that acts.
  package var app: String
  package var action: PolicyTestAction
  package var expect: PolicyTestExpectation
  /// Milliseconds after the step before.
  package var after: UInt64 = 0
  package var location: SourceLocation

  package init(
    app: String, _ action: PolicyTestAction, expect: PolicyTestExpectation, after: UInt64 = 0, location: SourceLocation
  ) {
    self.app = app
    self.action = action
    self.expect = expect
    self.after = after
    self.location = location
  }
}

/// An action of an app: a question, or a call that changes the daemon's state about it.
package enum PolicyTestAction: Sendable {
  case event(Event)
  case call(StateCall)
  /// The result of the last switch that the daemon asked the app for.
  case answerLast(SwitchResult)
  /// The app speaks of an account's life.
  case account(AccountCall)
  /// A source says who is signed in.
  case signedIn(AccountSource, [SignedInAccount])
  /// So many milliseconds pass.
  case tick(UInt64)
  /// Nothing happens; the expectation is about an account of the app.
  case list(String)
  /// The machine's facts from now on, in place of those before: what posture files and the daemon itself say.
  case posture([String: FactValue], validFor: UInt64?)
  /// The values of a key of the app's configuration.
  case config(ConfigQuestion)
  /// An administrator, an app or the helper has part in a wipe.
  case wipe(WipeTestStep)

  /// The word of the event or call: `navigate`, `RegisterViewer`
  package var name: String {
    switch self {
    case .event(let event): event.kind.name
    case .call(let call): call.name
    case .answerLast: PolicyTestCall.answer.rawValue
    case .account(let call): call.name
    case .signedIn: "SignedIn"
    case .tick: "tick"
    case .list: "List"
    case .posture: "posture"
    case .config: "config"
    case .wipe(let step): step.name
    }
  }
}

/// The calls that a test can make, in the words of the wire.
package enum PolicyTestCall: String, Sendable, Hashable, CaseIterable {
  case registerViewer = "RegisterViewer"
  case setDocument = "SetDocument"
  case forgetViewer = "ForgetViewer"
  case setWebViewPolicy = "SetWebViewPolicy"
  case setExternalURLRules = "SetExternalURLRules"
  case setIdentity = "SetIdentity"
  case answer = "Answer"
}

/// The expected result of a step.
package enum PolicyTestExpectation: Sendable, Hashable {
  /// The call is done.
  case done
  case refused(Refusal.Code)
  case decision(ExpectedDecision)
  case account(ExpectedAccount)
  case config(ExpectedConfig)
  case wipe(ExpectedWipe)
  /// An administrator's order is refused.
  case orderRefused(AccountRefusal)
}

/// A test's expectation of a decision. A nil property matches anything.
package struct ExpectedDecision: Sendable, Hashable {
  package var outcome: Outcome
  package var reason: Reason?
  /// The id of the rule that decides, or `default`.
  package var rule: String?
  /// The values of fields that a test may expect (`DecisionField.expectation`).
  package var fields: [DecisionField: FieldValue] = [:]
  /// The expected advice, where the policy only monitors.
  package var advice: ExpectedAdvice?
  /// Whether it must happen in a page that enforcing would not have opened.
  package var afterAdvised: Bool?

  package init(_ outcome: Outcome, _ reason: Reason? = nil, rule: String? = nil) {
    self.outcome = outcome
    self.reason = reason
    self.rule = rule
  }
}

/// A test's expectation of the advice of a decision. A nil property matches anything.
package struct ExpectedAdvice: Sendable, Hashable {
  package var outcome: Outcome
  package var reason: Reason?
  package var cause: MonitorCause?
  /// The id of the rule that advised, or `default`.
  package var rule: String?

  package init(outcome: Outcome, reason: Reason? = nil, cause: MonitorCause? = nil, rule: String? = nil) {
    self.outcome = outcome
    self.reason = reason
    self.cause = cause
    self.rule = rule
  }
}

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
      statement.window = reader.required("window", .nonEmptyString)
      _ = reader.atMostOne(of: ["account", "accounts"])
    }
    statement.account = reader.value("account", .stringOrNull, default: nil)
    if level == .window { statement.accounts = reader.optional("accounts", .list(of: .string, atLeast: 1)) }
    return level == .window && statement.window == nil ? nil : .setIdentity(statement)
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
