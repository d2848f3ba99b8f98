import GuardProtocol
import Testing

/// Every parameter of every method, out of the interface files: right values are taken, wrong ones are named.
@Suite struct ParameterTests {
  /// One parameter of one method, or one member of an event.
  struct Case: CustomTestStringConvertible {
    let method: Method
    let field: Shape.Field
    /// The other members that the call needs.
    let others: [String: String]
    let isEventMember: Bool

    var testDescription: String { "\(method.qualifiedName) \(field.name)" }

    func refusal(of value: String?) -> ServiceError? {
      var members = others
      members[field.name] = value
      let object =
        "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
      return GuardProtocolTests.refusal(of: method, isEventMember ? #"{"event":\#(object)}"# : object)
    }
  }

  static let cases = parameterCases + eventCases

  private static var eventCases: [Case] {
    ((try? eventFields()) ?? []).map {
      Case(method: .guard(.navigate), field: $0, others: [:], isEventMember: true)
    }
  }

  private static var parameterCases: [Case] {
    Method.allCases.flatMap { method -> [Case] in
      guard let shape = try? fileShape(method) else { return [] }
      return shape.fields.map { field in
        var others: [String: String] = [:]
        for other in shape.fields where other.isRequired && other.name != field.name {
          others[other.name] = right(other.type)
        }
        if method == .guard(.setIdentity), field.name == "window" || field.name == "accounts" {
          others["level"] = #""window""#
          if field.name == "accounts" { others["window"] = #""w""# }
        }
        return Case(method: method, field: field, others: others, isEventMember: false)
      }
    }
  }

  static func fileShape(_ method: Method) throws -> Shape {
    let file = try interfaceFile(method.interface)
    return Shape(file.method(method.plainName)?.input.fields ?? [], in: file)
  }

  static func eventFields() throws -> [Shape.Field] {
    let file = try interfaceFile(.guard)
    return Shape(file.type("Event")?.fields ?? [], in: file).fields
  }

  static func right(_ type: ParameterType) -> String {
    switch type {
    case .bool: "true"
    case .int: "12"
    case .text: #""x""#
    case .texts: #"["x","y"]"#
    case .word(let words): "\"\(words[0])\""
    case .words(let words): "[\"\(words[0])\"]"
    case .object: "{}"
    case .objects: "[]"
    }
  }

  /// What the service does not know of these is read as the strictest there is.
  static let readStrictly = ["location", "channel", "capture"]

  static func wrong(_ type: ParameterType) -> [String] {
    switch type {
    case .bool: ["1", "0", #""true""#, "[]", "{}"]
    case .int: ["1.0", "1.5", "1e2", "-1", "9223372036854775808", #""1""#, "true", "[1]", "{}"]
    case .text: ["1", "true", "[]", #"["x"]"#, "{}"]
    case .texts: [#""x""#, "1", "{}", "[1]", "[null]", #"["x",[]]"#]
    case .word(let words):
      [#""""#, #""\#(words[0]) ""#, #""\#(words[0].uppercased())""#, #""\#(words[0])\u0000""#, "0", "[]"]
    case .words(let words):
      [#""\#(words[0])""#, "1", "{}", "[1]", "[null]", #"["x"]"#, #"["\#(words[0])","\#(words[0].uppercased())"]"#]
    case .object: ["1", "[]", #""x""#, "true"]
    case .objects: ["1", "{}", #""x""#, "[1]", "[null]", "[[]]"]
    }
  }

  @Test(arguments: cases)
  func rightValuesAreTaken(_ test: Case) {
    #expect(test.refusal(of: ParameterTests.right(test.field.type)) == nil)
    guard case .word(let words) = test.field.type, test.method != .guard(.setIdentity) else { return }
    for word in words { #expect(test.refusal(of: "\"\(word)\"") == nil, "\(word)") }
  }

  @Test(arguments: cases)
  func wrongValuesAreNamed(_ test: Case) {
    for value in ParameterTests.wrong(test.field.type) {
      if ParameterTests.readStrictly.contains(test.field.name), value.hasPrefix("\"") {
        #expect(test.refusal(of: value) == nil, "\(value)")
        continue
      }
      #expect(test.refusal(of: value) == .invalidParameter(test.field.name), "\(value)")
    }
  }

  @Test(arguments: cases)
  func missingAndNullAreTheSame(_ test: Case) {
    let needsName = test.method == .guard(.setIdentity) && test.field.name == "window"
    let expected = test.field.isRequired || needsName ? ServiceError.invalidParameter(test.field.name) : nil
    #expect(test.refusal(of: nil) == expected)
    #expect(test.refusal(of: "null") == expected)
  }

  @Test func unknownParametersAreNamed() throws {
    for method in Method.allCases {
      #expect(refusal(of: method, #"{"surprise":1}"#) == .invalidParameter("surprise"))
      #expect(refusal(of: method, #"{"surprise":null}"#) == .invalidParameter("surprise"))
    }
    #expect(refusal(of: .guard(.navigate), #"{"event":{"URL":"x"}}"#) == .invalidParameter("URL"))
    #expect(refusal(of: .guard(.navigate), #"{"event":{},"viewer":"x"}"#) == .invalidParameter("viewer"))
  }

  /// Half a megabyte of key is not sent back.
  @Test func longNamesAreShortened() {
    let key = String(repeating: "é", count: 1000)
    let refused = refusal(of: .guard(.navigate), #"{"event":{"\#(key)":1}}"#)
    #expect(refused == .invalidParameter(String(repeating: "é", count: 32)))
  }

  @Test func namesAreNotEmpty() {
    #expect(refusal(of: .guard(.registerViewer), #"{"viewer":""}"#) == .invalidParameter("viewer"))
    #expect(refusal(of: .rules(.explain), #"{"decision":""}"#) == .invalidParameter("decision"))
  }

  @Test func windowsGoWithTheLevelWindowOnly() {
    let method = Method.guard(.setIdentity)
    #expect(refusal(of: method, #"{"level":"window","window":"w"}"#) == nil)
    #expect(refusal(of: method, #"{"level":"window","window":""}"#) == .invalidParameter("window"))
    #expect(refusal(of: method, #"{"level":"process","window":"w"}"#) == .invalidParameter("window"))
    #expect(refusal(of: method, #"{"level":"scope","window":"w"}"#) == .invalidParameter("window"))
  }

  @Test func identitiesOfOneCallGoTogether() {
    let method = Method.guard(.setIdentity)
    let window = #""level":"window","window":"w""#
    #expect(refusal(of: method, #"{\#(window),"accounts":["a","b"]}"#) == nil)
    #expect(refusal(of: method, #"{\#(window),"accounts":[]}"#) == .invalidParameter("accounts"))
    #expect(refusal(of: method, #"{\#(window),"account":"","accounts":["a"]}"#) == .invalidParameter("accounts"))
    #expect(refusal(of: method, #"{"level":"process","accounts":["a"]}"#) == .invalidParameter("accounts"))
    #expect(refusal(of: method, #"{\#(window),"gates":"failed"}"#) == nil)
    #expect(refusal(of: method, #"{"level":"scope","gates":"success"}"#) == .invalidParameter("gates"))
    #expect(refusal(of: method, #"{\#(window),"accounts":["a"],"gates":"success"}"#) == .invalidParameter("gates"))
  }

  /// Each question names its kind; what is wrong with one is wrong with the call.
  @Test func questionsOfABatchAreWhole() {
    let method = Method.guard(.decideMany)
    let many = (0..<300).map { _ in #"{"kind":"index","event":{}}"# }.joined(separator: ",")
    #expect(refusal(of: method, #"{"questions":[{"event":{"viewer":"E"},"kind":"print"}]}"#) == nil)
    #expect(refusal(of: method, #"{"questions":[\#(many)]}"#) == nil)
    #expect(refusal(of: method, #"{"questions":[{"kind":"print"}]}"#) == .invalidParameter("event"))
    #expect(refusal(of: method, #"{"questions":[{"event":{}}]}"#) == .invalidParameter("kind"))
    #expect(refusal(of: method, #"{"questions":[{"kind":"unknown","event":{}}]}"#) == .invalidParameter("kind"))
    #expect(
      refusal(of: method, #"{"questions":[{"kind":"print","event":{"hue":1}}]}"#) == .invalidParameter("hue"))
  }

  @Test func theTableIsWhole() {
    #expect(ParameterTests.cases.count == 188)
  }
}
