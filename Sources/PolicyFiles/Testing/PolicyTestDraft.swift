internal import GuardModel
internal import PolicyEngine

/// One test as it is written, before the policy's apps are known.
struct PolicyTestDraft: Sendable {
  var name: String?
  var app: Located<String>?
  var steps: [Step] = []
  var at: Int64?
  var features: ClientFeatures = []
  var groups: [UInt32] = []
  var location: SourceLocation

  struct Step: Sendable {
    var app: Located<String>?
    var action: PolicyTestAction
    var expect: PolicyTestExpectation
    var after: UInt64
    var location: SourceLocation
  }
}

extension PolicyFileReader {
  var tests: YAMLDecoder<[PolicyTestDraft]> { .goodItems(of: .mapping { reader in test(&reader) }) }

  private func test(_ reader: inout MappingReader) -> PolicyTestDraft? {
    var test = PolicyTestDraft(location: reader.location)
    test.name = reader.optional("name", .nonEmptyString)
    test.app = reader.optional("app", .located(.nonEmptyString))
    test.at = reader.optional("at", PointInTime.decoder(day: .beginning))
    let feature = YAMLDecoder<ClientFeatures>.word(ClientFeatures.names.map { ($0.name, $0.feature) })
    test.features = ClientFeatures(reader.value("features", .list(of: feature), default: []))
    let groups = reader.value("groups", .list(of: .located(.nonEmptyString)), default: [])
    test.groups = groups.compactMap { resolve(group: $0, into: &reader.diagnostics) }
    let step = YAMLDecoder<PolicyTestDraft.Step>.mapping { reader in PolicyTestDraft.Step(&reader) }
    guard let steps = reader.required("steps", .list(of: step, atLeast: 1)) else { return nil }
    test.steps = steps
    return test
  }
}

extension PolicyTestDraft.Step {
  fileprivate init?(_ reader: inout MappingReader) {
    let app = reader.optional("app", .located(.nonEmptyString))
    let after = reader.value("after", .duration(in: .zero ... .seconds(366 * 86_400)), default: .zero)
    let action: PolicyTestAction?
    let expect: PolicyTestExpectation?
    let words = ["event", "call", "config", "posture"] + PolicyTestAction.accountKeys + WipeTestStep.keys
    switch reader.exactlyOne(of: words) {
    case "posture":
      action = PolicyTestAction(postureIn: &reader)
      expect = .done
    case "event":
      let kind = reader.optional("event", .word(PolicyTestAction.eventWords))
      // An unknown event has no known keys either.
      guard let kind else {
        reader.passOver()
        return nil
      }
      action = .event(Event(kind, &reader))
      expect = ExpectedDecision(&reader).map(PolicyTestExpectation.decision)
    case "call":
      guard let call = reader.optional("call", .choice(of: PolicyTestCall.self)) else {
        reader.passOver()
        return nil
      }
      action = PolicyTestAction(call, &reader)
      expect =
        reader.optional("expect", .word(Refusal.Code.ofStateCalls.map { ($0.rawValue, $0) })).map(
          PolicyTestExpectation.refused) ?? .done
    case "config":
      let question = reader.optional("config", ConfigQuestion.decoder)
      action = question.map { .config($0.0) }
      expect = question.map { .config($0.1) }
    case let key? where WipeTestStep.keys.contains(key):
      action = WipeTestStep(key: key, &reader).map { .wipe($0) }
      expect = PolicyTestExpectation(wipeKey: key, &reader)
    case let key?:
      action = PolicyTestAction(accountKey: key, &reader)
      expect = PolicyTestExpectation(accountKey: key, &reader)
    case nil:
      reader.passOver()
      return nil
    }
    guard let action, let expect else { return nil }
    self.init(app: app, action: action, expect: expect, after: after.inTicks, location: reader.location)
  }
}

extension PolicyTestAction {
  fileprivate static var eventWords: [(word: String, value: EventKind)] {
    EventKind.allCases.filter { $0 != .unknown }.map { ($0.name, $0) }
  }
}

extension ExpectedDecision {
  /// Nil when no outcome is stated, which has been reported.
  fileprivate init?(_ reader: inout MappingReader) {
    let outcome = reader.required("expect", .word(Outcome.allCases.map { ($0.name, $0) }))
    let reason = reader.optional("reason", .reason)
    let rule = reader.optional("rule", .nonEmptyString)
    var fields: [DecisionField: FieldValue] = [:]
    for named in DecisionField.inReplies {
      guard let expectation = named.field.expectation else { continue }
      fields[named.field] = named.field.kind.expected(expectation, named.name.description, &reader)
    }
    let advice = reader.optional("advice", .mapping { reader in ExpectedAdvice(&reader) })
    let afterAdvised = reader.optional("afterAdvised", .bool)
    guard let outcome else { return nil }
    self.init(outcome, reason, rule: rule)
    (self.fields, self.advice, self.afterAdvised) = (fields, advice, afterAdvised)
  }
}

extension FieldValue {
  /// The value of this kind that a test states; nil when it states none.
  fileprivate func expected(
    _ expectation: FieldExpectation, _ key: String, _ reader: inout MappingReader
  ) -> FieldValue? {
    let text = expectation == .valueOrEmpty ? YAMLDecoder.string : .nonEmptyString
    switch self {
    case .flag: return reader.optional(key, .bool).map { .flag($0) }
    case .text: return reader.optional(key, text).map { .text($0) }
    case .account: return reader.optional(key, text).map { .account($0) }
    // Kinds that tests have no form for: the key is unknown, and so an error.
    case .digest, .number, .texts, .notes, .offer, .advice: return nil
    }
  }
}

extension ExpectedAdvice {
  /// Nil when no outcome is stated, which has been reported.
  fileprivate init?(_ reader: inout MappingReader) {
    let outcome = reader.required("outcome", .word(Outcome.allCases.map { ($0.name, $0) }))
    let reason = reader.optional("reason", .reason)
    let cause = reader.optional("cause", .choice(of: MonitorCause.self))
    let rule = reader.optional("rule", .nonEmptyString)
    guard let outcome else { return nil }
    self.init(outcome: outcome, reason: reason, cause: cause, rule: rule)
  }
}

extension YAMLDecoder where Value == Reason {
  /// A reason of a decision. There are too many to list them all in a message.
  static var reason: Self {
    YAMLDecoder("a reason") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      if let reason = Reason(rawValue: text) { return reason }
      diagnostics.error(
        .unknownReason, at: node.location, "\(text.quoted) is not a reason",
        hint: Suggestion.nearest(to: text, among: Reason.allCases.map(\.rawValue)).map { "did you mean \($0.quoted)?" })
      return nil
    }
  }
}

extension Event {
  /// The members of an event, which stand beside `event` in the wire's own words. Only those are known that bear on its
  /// kind.
  init(_ kind: EventKind, _ reader: inout MappingReader) {
    self.init(kind)
    read("viewer", \.viewer, &reader)
    read("action", \.action, &reader)
    switch kind {
    case .navigate: readNavigation(&reader)
    case .openURL: readURL(&reader)
    case .copy, .paste, .clipboardChanged, .dragEnd: readClipboard(&reader)
    case .download, .upload:
      readURL(&reader)
      readPlace(&reader)
      readFile(&reader)
    case .save, .open:
      read("url", \.url, &reader)
      readPlace(&reader)
      readFile(&reader)
      reader.read("chooser", .bool, into: &isChooser)
      reader.read("inPlace", .bool, into: &isInPlace)
    case .receive, .share:
      readProgram(&reader)
      readFile(&reader)
      reader.read("chooser", .bool, into: &isChooser)
    case .exchange:
      readProgram(&reader)
      reader.read("channel", .word(Channel.allCases.map { ($0.name, $0) }), into: &channel)
    case .capture: reader.read("capture", .word(CaptureKind.allCases.map { ($0.name, $0) }), into: &capture)
    // Printing into a file also saves there.
    case .print: readPlace(&reader)
    case .notify, .index, .unknown: break
    }
  }

  private mutating func readURL(_ reader: inout MappingReader) {
    read("url", \.url, &reader)
    read("from", \.from, &reader)
  }

  private mutating func readNavigation(_ reader: inout MappingReader) {
    readURL(&reader)
    read("method", \.method, &reader)
    reader.read("frame", .word(Frame.allCases.map { ($0.name, $0) }), into: &frame)
    hop = reader.optional("hop", .bool).map(Ternary.init) ?? .unknown
    reader.read("gesture", .word([("unknown", .unknown), ("no", .no), ("yes", .yes)]), into: &gesture)
    reader.read("sameDocument", .bool, into: &isSameDocument)
    reader.read("newWindow", .bool, into: &opensWindow)
  }

  private mutating func readClipboard(_ reader: inout MappingReader) {
    read("display", \.display, &reader)
    if kind == .paste || kind == .copy { read("from", \.from, &reader) }
    guard kind != .dragEnd else { return }
    reader.read("selection", .word(Selection.allCases.map { ($0.name, $0) }), into: &selection)
    length = reader.optional("length", .int(in: 0...Int.max))
    if let types = reader.optional("formats", .list(of: .nonEmptyString)) { keep(formats: types) }
    if kind != .clipboardChanged {
      reader.read("surface", .word(Surface.allCases.map { ($0.name, $0) }), into: &surface)
    }
    switch kind {
    case .copy:
      reader.read("cut", .bool, into: &isCut)
      reader.read("inspection", .word(Inspection.allCases.map { ($0.name, $0) }), into: &inspection)
    case .clipboardChanged:
      selfOwned = reader.optional("selfOwned", .bool).map(Ternary.init) ?? .unknown
      proposal = reader.optional("proposal", .string).flatMap { ProposalID($0) }
      readClip(&reader)
    default: readClip(&reader)
    }
  }

  /// A text that is no id of ours counts as an unknown clip.
  private mutating func readClip(_ reader: inout MappingReader) {
    clip = reader.optional("clip", .string).map { ClipID($0).map(ClipClaim.id) ?? .unreadable } ?? .none
  }

  private mutating func readPlace(_ reader: inout MappingReader) {
    read("owner", \.owner, &reader)
    read("locationAccount", \.locationAccount, &reader)
    read("path", \.path, &reader)
    reader.read("location", .word(Location.allCases.map { ($0.name, $0) }), into: &location)
  }

  /// The words of a file about its owner. A test has no label's bytes and no table: it names their account, or says
  /// `unreadable`.
  private mutating func readFile(_ reader: inout MappingReader) {
    readOwner("label", \.labelOwner, &reader)
    readOwner("file", \.keptOwner, &reader)
    read("origin", \.origin, &reader)
  }

  private mutating func readOwner(
    _ key: String, _ path: WritableKeyPath<Event, FileOwnerClaim>, _ reader: inout MappingReader
  ) {
    guard let name = reader.optional(key, .nonEmptyString) else { return }
    self[keyPath: path] = .unread(append(name))
    nameOwners()
  }

  /// Takes the words of a label and of the table for names of accounts, where nobody has the key of labels: in tests and for
  /// `decide`.
  ///
  ///     label: work@contoso.com    // the label of that account
  ///     label: unreadable          // one that was forged or damaged, or is another machine's
  package mutating func nameOwners() {
    (labelOwner, keptOwner) = (named(labelOwner), named(keptOwner))
  }

  private func named(_ claim: FileOwnerClaim) -> FileOwnerClaim {
    guard case .unread(let slot) = claim else { return claim }
    return string(slot) == "unreadable" ? .unknown : .account(slot)
  }

  private mutating func readProgram(_ reader: inout MappingReader) {
    read("owner", \.owner, &reader)
    read("peer", \.peer, &reader)
    read("peerAccount", \.peerAccount, &reader)
  }

  private mutating func read(
    _ key: String, _ slot: WritableKeyPath<Event, TextSlot?>, _ reader: inout MappingReader
  ) {
    if let text = reader.optional(key, .string) { self[keyPath: slot] = append(text) }
  }

  /// MIME types compare without case (RFC 2045, 5.1).
  private mutating func keep(formats types: [String]) {
    formats = types.isEmpty ? nil : append(types.joined(separator: ","))
    offersPlainText = types.contains { type in
      type.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased() == "text/plain"
    }
  }
}
