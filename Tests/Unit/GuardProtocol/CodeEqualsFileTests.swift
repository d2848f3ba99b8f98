import GuardModel
import GuardProtocol
import Testing

/// Decoder and interface files say the same: methods, parameters, their types, and the words of enums.
@Suite struct CodeEqualsFileTests {
  @Test func methodsAreThoseOfTheFiles() throws {
    #expect(try methods(.service) == ServiceMethod.allCases.map(\.rawValue))
    #expect(try methods(.guard) == GuardMethod.allCases.map(\.rawValue))
    #expect(try Set(methods(.accounts)) == Set(AccountsMethod.allCases.map(\.rawValue)))
    #expect(try Set(methods(.rules)) == Set(RulesMethod.allCases.map(\.rawValue)))
    #expect(try Set(methods(.admin)) == Set(AdminMethod.allCases.map(\.rawValue)))
  }

  private func methods(_ interface: Interface) throws -> [String] {
    try interfaceFile(interface).members(.method).map(\.name)
  }

  @Test(arguments: Method.allCases)
  func parametersAreThoseOfTheFile(_ method: Method) throws {
    let file = try interfaceFile(method.interface)
    let member = try #require(file.method(method.plainName))
    #expect(Shape.of(method) == Shape(member.input.fields, in: file))
  }

  @Test func eventMembersAreThoseOfTheFile() throws {
    let file = try interfaceFile(.guard)
    #expect(Shape(EventCall.members.parameters) == Shape(try #require(file.type("Event")).fields, in: file))
  }

  @Test func signedInMembersAreThoseOfTheFile() throws {
    let file = try interfaceFile(.accounts)
    let type = try #require(file.type("SignedInAccount"))
    #expect(Shape(SignedInCall.members.parameters) == Shape(type.fields, in: file))
  }

  @Test func questionMembersAreThoseOfTheFile() throws {
    let file = try interfaceFile(.guard)
    #expect(Shape(DecideManyCall.members.parameters) == Shape(try #require(file.type("Question")).fields, in: file))
  }

  /// The table of fields is the type of the file: names, order and types, beside what the shell adds to each decision.
  @Test func fieldsOfADecisionAreThoseOfTheFile() throws {
    let file = try interfaceFile(.guard)
    let shape = Shape(try #require(file.type("Decision")).fields, in: file)
    #expect(shape.fields.map(\.name) == ["id"] + DecisionField.inReplies.map(\.name.description) + ["repeat"])
    for (field, named) in zip(shape.fields.dropFirst(), DecisionField.inReplies) {
      #expect(named.field.kind.fits(field.type), "\(field.name)")
      // What an empty decision says is what every decision says.
      #expect(named.field.kind.isStated == field.isRequired || field.name == "digest", "\(field.name)")
    }
  }

  /// Nothing that the file has is refused as not implemented, whatever its parameters.
  @Test(arguments: GuardMethod.allCases)
  func everyMethodIsAnswered(_ method: GuardMethod) {
    if case .methodNotImplemented = refusal(of: .guard(method), "{}") { Issue.record("not answered") }
  }

  @Test(arguments: [
    ("Frame", Frame.allCases.map(\.name)),
    ("Selection", Selection.allCases.map(\.name)),
    ("Location", Location.allCases.map(\.name)),
    ("Channel", Channel.allCases.map(\.name)),
    ("CaptureKind", CaptureKind.allCases.map(\.name)),
    ("Inspection", Inspection.allCases.map(\.name)),
    ("Note", DecisionNotes.names.map(\.name)),
    ("MonitorCause", MonitorCause.allCases.map(\.rawValue)),
    ("SwitchResult", SwitchResult.allCases.map(\.rawValue)),
    ("SwitchCause", SwitchCause.allCases.map(\.rawValue)),
    ("UnlockResult", UnlockResult.allCases.map(\.rawValue)),
    ("AccountState", AccountState.allCases.map(\.rawValue)),
    ("PlaceQuestion", PlaceQuestion.allCases.map(\.rawValue)),
    ("Topic", Topic.allCases.map(\.rawValue)),
    ("Outcome", Outcome.allCases.map(\.name)),
    ("Reason", Reason.allCases.map(\.rawValue)),
    ("WebViewPolicy", WebViewPolicy.allCases.map(\.name)),
    ("PolicySource", PolicySource.allCases.map(\.rawValue)),
    ("IdentityLevel", IdentityLevel.allCases.map(\.rawValue)),
    ("Verdict", [Verdict.external, .internal].map(\.name)),
    ("Mode", DecisionMode.allCases.map(\.rawValue)),
    ("ViewerKind", ViewerKind.allCases.map(\.rawValue)),
    ("IdentityTarget", IdentityTarget.allCases.map(\.rawValue)),
    ("FailureAnswer", FailureAnswer.allCases.map(\.rawValue)),
    ("Limit", Limit.allCases.map(\.rawValue)),
  ])
  func guardWordsAreThoseOfTheModel(_ type: String, _ words: [String]) throws {
    #expect(try self.words(type, .guard) == words)
  }

  @Test func otherWordsAreThoseOfTheModel() throws {
    #expect(try words("LifeState", .accounts) == AccountLifeState.allCases.map(\.rawValue))
    #expect(try words("EnrollmentResult", .accounts) == EnrollmentResult.allCases.map(\.rawValue))
    #expect(try words("RequestResult", .accounts) == RequestResult.allCases.map(\.rawValue))
    #expect(try words("DataFate", .accounts) == DataFate.allCases.map(\.rawValue))
    #expect(try words("AccountSource", .accounts) == AccountSource.allCases.map(\.rawValue))
    #expect(try words("Verdict", .rules) == [Verdict.external, .internal].map(\.name))
    #expect(try words("VerdictReason", .rules) == VerdictReason.allCases.map(\.rawValue))
    #expect(try words("Subject", .rules) == ClassifySubject.allCases.map(\.rawValue))
    #expect(try words("State", .admin) == ServiceState.allCases.map(\.rawValue))
    #expect(try words("Subject", .admin) == ClassifySubject.allCases.map(\.rawValue))
    #expect(try words("ExceptionEnd", .admin) == ExceptionEnd.allCases.map(\.rawValue))
    #expect(try words("ExceptionRefusal", .admin) == ExceptionRefusal.allCases.map(\.rawValue))
    #expect(try words("PolicySource", .admin) == PolicyOrigin.allCases.map(\.rawValue))
    #expect(try words("AccountRefusal", .admin) == AccountRefusal.allCases.map(\.rawValue))
    #expect(try words("HealthLevel", .admin) == HealthLevel.allCases.map(\.rawValue))
  }

  /// A batch may ask about every event that has a method of its own.
  @Test func eventKindsAreTheMethodsThatTakeAnEvent() throws {
    let file = try interfaceFile(.guard)
    let methods = file.members(.method).filter { $0.input.fields.map(\.name) == ["event"] }.map(\.name)
    let kinds = try words("EventKind", .guard)
    #expect(kinds.map { $0.lowercased() } == methods.map { $0.lowercased() })
    #expect(Set(EventKind.allCases.map(\.name)).subtracting(["unknown"]).isSubset(of: kinds))
  }

  private func words(_ type: String, _ interface: Interface) throws -> [String] {
    try #require(try interfaceFile(interface).type(type)).fields.map(\.name)
  }
}

extension FieldValue {
  /// Whether a value of this kind is written as that type.
  fileprivate func fits(_ type: ParameterType) -> Bool {
    switch (self, type) {
    case (.text, .text), (.text, .word), (.account, .text), (.digest, .text), (.flag, .bool), (.number, .int): true
    case (.texts, .texts), (.offer, .object), (.advice, .object): true
    case (.notes, .words(let words)): words == DecisionNotes.names.map(\.name)
    default: false
    }
  }
}
