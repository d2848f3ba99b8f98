import CAllocationCounter
import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Deciding allocates nothing once its buffers have grown.
struct AllocationTests {
  private static let isMeasured = callocation_counter_works() && !Effort.isReduced

  @Test(.enabled(if: isMeasured, "skipped: debug builds and sanitizers allocate on their own account"))
  func theCounterCounts() {
    let before = callocation_counter_count()
    let array = [UInt8](repeating: 7, count: Int.random(in: 1_000...2_000))
    #expect(callocation_counter_count() > before)
    #expect(array.count >= 1_000)
  }

  /// In every build, so that nothing is measured that is not what it says.
  @Test(arguments: Situation.all) func everySituationHasItsAnswer(_ situation: Situation) throws {
    var example = try situation.example()
    #expect(example.decide(situation.event) == situation.answer)
  }

  @Test(
    .enabled(if: isMeasured, "skipped: debug builds and sanitizers allocate on their own account"),
    arguments: Situation.all)
  func decidingAllocatesNothingInSteadyState(_ situation: Situation) throws {
    var example = try situation.example()
    let event = situation.event
    for _ in 0..<500 { _ = example.decide(event) }
    let answer = example.decide(event)
    let before = callocation_counter_count()
    var same = 0
    for _ in 0..<10_000 { if example.decide(event) == answer { same += 1 } }
    let allocations = callocation_counter_count() - before
    #expect(answer == situation.answer)
    #expect(same == 10_000)
    #expect(allocations == 0)
  }
}

extension Example {
  fileprivate mutating func decide(_ event: borrowing Event) -> Answer {
    Answer(PolicyEngine.decide(event, of: portal, &state, under: snapshot))
  }
}

/// One question that is asked again and again.
struct Situation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let answer: Answer
  let event: Event
  let features: ClientFeatures
  let policy: @Sendable (inout ExamplePolicy) -> Void
  let state: @Sendable (inout Example) throws -> Void

  init(
    _ name: String, _ answer: Answer, _ event: Event, features: ClientFeatures = .usual,
    state: @escaping @Sendable (inout Example) throws -> Void = { _ in },
    policy: @escaping @Sendable (inout ExamplePolicy) -> Void = { _ in }
  ) {
    testDescription = name
    self.answer = answer
    self.event = event
    self.features = features
    self.policy = policy
    self.state = state
  }

  func example() throws -> Example {
    var policy = ExamplePolicy()
    self.policy(&policy)
    policy.rules.append(
      Rule(id: "cdn", verdict: .internal, condition: .regex(try Regex("^https://[a-z]+[.]cdn[.]example/v[0-9]+/"))))
    var example = try Example(policy, features: features)
    try state(&example)
    return example
  }

  static let all: [Situation] = navigations + clips + dataPaths + monitored + restricted + accounts

  private static let navigations: [Situation] = [
    Situation("internal page", Answer(.allow, .internal), navigation("https://docs.contoso.com/d/42?q=1#top")),
    Situation("internal page of a document", Answer(.allow, .internal), navigation("https://contoso.com/")) {
      try $0.setDocument("https://docs.contoso.com/d/42", "D")
    },
    Situation("external page", Answer(.redirect, .external), navigation("https://news.example/today")),
    Situation("external pages by turns", Answer(.redirect, .external), navigation("https://news.example/")) { example in
      for number in 0..<100 { _ = example.navigate("https://other\(number).example/") }
    },
    Situation("blocked by a rule", Answer(.block, .blockedByRule), navigation("https://cloud.evil.example/")),
    Situation("regular expression", Answer(.allow, .internal), navigation("https://static.cdn.example/v12/app.js")),
    Situation("sub-frame", Answer(.allow, .subFrame), navigation("https://ads.example/", frame: .sub)),
    Situation(
      "sub-frame that is judged", Answer(.block, .external), navigation("https://ads.example/", frame: .sub),
      policy: { $0.app.classes[0].subFrames = true }),
    Situation(
      "data URL of a known page", Answer(.allow, .internal),
      navigation("data:text/html,<p>hello", from: "https://docs.contoso.com/d/42")),
    Situation("blob URL", Answer(.allow, .internal), navigation("blob:https://docs.contoso.com/9f8e")),
    Situation("view-source", Answer(.redirect, .external), navigation("view-source:https://user@news.example./#x")),
    Situation("credentials", Answer(.redirect, .external), navigation("https://user:pass@contoso.com/")),
    Situation("web socket", Answer(.allow, .internal), navigation("wss://contoso.com/socket")),
    Situation("other scheme", Answer(.handOff, .exemptScheme), navigation("skype:echo123")),
    Situation("invalid", Answer(.block, .invalidURL), navigation("https://exa mple.com/")),
    Situation("unmanaged viewer", Answer(.allow, .noManagedIdentity), navigation("https://news.example/", in: "P")),
    Situation(
      "unknown viewer", Answer(.redirect, .external), navigation("https://news.example/", in: "nobody-knows-this-one")),
    Situation("popup", Answer(.allow, .internal), navigation("https://contoso.com/", in: "popup")) {
      try $0.register(ViewerDescription("popup", window: "w", opener: "D"))
      try $0.set("6D5C", window: "w")
    },
    Situation(
      "exempt link", Answer(.handOff, .exemptLink), navigation("https://maps.example/here"),
      policy: { policy in
        let maps = Rule(id: "maps", verdict: .internal, condition: .domain(Array("maps.example".utf8)))
        policy.links = Links(exempt: LinkList(rules: [maps], programs: [Program(desktopID: "maps.desktop")]))
      }),
  ]

  private static let clips: [Situation] = [
    Situation("copy", Answer(.allow, .clipRecorded), clip(.copy)),
    Situation("copy of unmanaged data", Answer(.allow, .noManagedIdentity), clip(.copy, in: "P")),
    Situation("copy with an unknown selection", Answer(.allow, .clipRecorded), clip(.copy, selection: .unknown)),
    Situation("paste of one's own", Answer(.allow, .sameAccount), clip(.paste)) { _ = $0.clip(.copy) },
    Situation("paste elsewhere", Answer(.block, .orgData), clip(.paste, in: "P")) { _ = $0.clip(.copy) },
    Situation("paste of nobody knows what", Answer(.block, .ownerUnknown), clip(.paste)),
    Situation("paste with a clip id", Answer(.block, .ownerUnknown), clip(.paste, claim: ClipID(epoch: 1, number: 1))),
    Situation(
      "short paste elsewhere", Answer(.allow, .withinLimit), clip(.paste, in: "P"),
      state: { _ = $0.clip(.copy, length: 5) },
      policy: {
        $0.protection.clipboard.exceptionLength = 10
        $0.protection.clipboard.exceptionPerMinute = 1_000_000
      }),
    Situation("change by another", Answer(.allow, .changeRecorded), clip(.clipboardChanged, selfOwned: .no)),
    Situation("change by oneself", Answer(.allow, .changeRecorded), clip(.clipboardChanged, selfOwned: .yes)),
    Situation("change by nobody knows whom", Answer(.allow, .changeRecorded), clip(.clipboardChanged)),
    Situation("end of a drag", Answer(.allow, .changeRecorded), clip(.dragEnd)),
  ]

  private static func navigation(
    _ url: String, in viewer: String = "D", from: String? = nil, frame: Frame = .main
  ) -> Event {
    var event = Event(.navigate)
    event.viewer = event.append(viewer)
    event.url = event.append(url)
    event.from = from.map { event.append($0) }
    event.frame = frame
    return event
  }

  private static func clip(
    _ kind: EventKind, in viewer: String = "D", selection: Selection = .clipboard, selfOwned: Ternary = .unknown,
    claim: ClipID? = nil
  ) -> Event {
    var event = Event(kind)
    event.viewer = event.append(viewer)
    event.display = event.append("wayland-0")
    event.selection = selection
    event.length = 5
    event.selfOwned = selfOwned
    if let claim { event.clip = .id(claim) }
    return event
  }
}
