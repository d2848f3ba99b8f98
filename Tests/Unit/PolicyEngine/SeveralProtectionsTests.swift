import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// How a second protection binds the account, beside the pattern of the first.
enum Binding: CaseIterable, Sendable {
  case pattern, name, objectID, group, entry, entryByObjectID
}

/// `work@contoso.com` under two protections that restrict nothing but what a test says.
private struct TwiceBound {
  var example: Example
  let asker: InstanceID

  init(
    _ binding: Binding = .pattern, features: ClientFeatures = .usual,
    _ change: (inout Protection, inout Protection) -> Void
  ) throws {
    var policy = ExamplePolicy()
    policy.protection = Protection(name: "first")
    policy.protection.accountPatterns = ["*@contoso.com"]
    var second = Protection(name: "second")
    switch binding {
    case .pattern: second.accountPatterns = ["*@contoso.com"]
    case .name: second.accountPatterns = ["work@contoso.com"]
    case .objectID: second.accountPatterns = ["6d5c"]
    case .group: second.groups = [100]
    case .entry, .entryByObjectID: policy.work.protection = 1
    }
    change(&policy.protection, &second)
    policy.otherProtections = [second]
    example = try Example(policy, as: nil)
    let peer = Peer(uid: 1000, groups: [100])
    asker = try example.state.attach(app: 0, peer: peer, features: features, example.snapshot)
    let name = binding == .entryByObjectID ? "6D5C" : Name.work
    let identity = try example.state.identity(name, in: asker, example.snapshot)
    _ = try example.state.setProcessIdentity(identity, in: asker, example.snapshot)
    for (viewer, name) in [("D", "documents"), ("P", "public")] {
      try example.state.register(ViewerDescription(viewer, class: name), in: asker, example.snapshot)
    }
  }

  mutating func ask(_ event: Event) -> (answer: Answer, protection: String?) {
    let decision = decide(event, of: asker, &example.state, under: example.snapshot)
    return (Answer(decision), decision.protection.map { example.snapshot[$0].name })
  }
}

/// Several protections bind one account: each setting takes the strictest value of them, and the protection that gave it is
/// named. Ledger PM-01; amendments, several protections; review PM-01 and L4.
struct SeveralProtectionsTests {
  /// PM-01: each setting for itself, whichever way both bind, and in whichever order they stand.
  @Test(arguments: Binding.allCases, [false, true])
  func eachSettingTakesTheStrictestValue(_ binding: Binding, _ isSwapped: Bool) throws {
    var bound = try TwiceBound(binding) { first, second in
      (first.printing, second.screenCapture) = (.block, .block)
      (first.webTransfer, second.webTransfer) = (.any, .block)
      second.send = .managed
      if isSwapped { Self.exchange(&first, &second) }
    }
    let (one, other) = isSwapped ? ("second", "first") : ("first", "second")
    #expect(bound.ask(.data(.print)) == (Answer(.block, .printBlocked), one))
    #expect(bound.ask(.data(.capture)) == (Answer(.block, .captureBlocked), other))
    #expect(bound.ask(.page("https://news.example/")) == (Answer(.block, .externalBlocked), other))
    #expect(
      bound.ask(.data(.share, with: Name.editor)) == (Answer(.block, .outgoingRestricted), other))
    #expect(bound.ask(.data(.notify)) == (Answer(.allow, .notificationAllowed), "first"))
  }

  /// The settings change places; whom they bind stays.
  private static func exchange(_ first: inout Protection, _ second: inout Protection) {
    swap(&first, &second)
    swap(&first.name, &second.name)
    swap(&first.accountPatterns, &second.accountPatterns)
    swap(&first.groups, &second.groups)
  }

  /// PM-01: lists come to what all name that ask their list; one that lets everything pass asks nothing.
  @Test
  func listsIntersect() throws {
    var bound = try TwiceBound { first, second in
      (first.send, second.send) = (.managed, .managed)
      first.exemptSchemes = [Array("zoommtg".utf8), Array("skype".utf8)]
      second.exemptSchemes = [Array("skype".utf8)]
      second.managedSchemes = [Array("zoommtg".utf8)]
      first.save = LocationSettings(allowed: false, exceptions: LocationSet([.sharePoint, .box]))
      second.save = LocationSettings(allowed: false, exceptions: LocationSet([.box]))
      first.managedApps = [Array(Name.word.utf8)]
    }
    #expect(bound.ask(.data(.openURL, url: "skype:a")) == (Answer(.handOff, .exemptScheme), "first"))
    #expect(bound.ask(.data(.openURL, url: "zoommtg:a")) == (Answer(.handOff, .managedScheme), "second"))
    #expect(bound.ask(.data(.openURL, url: "slack:a")) == (Answer(.block, .handOffBlocked), "first"))
    #expect(bound.ask(.data(.save, at: .box, of: Name.work)).answer == Answer(.allow, .locationAllowed))
    #expect(
      bound.ask(.data(.save, at: .sharePoint, of: Name.work)) == (Answer(.block, .saveLocationNotListed), "second"))
    #expect(
      bound.ask(.data(.share, with: Name.word, as: Name.work)) == (Answer(.block, .outgoingRestricted), "second"))
    var free = try TwiceBound { first, _ in
      first.send = .managed
      first.managedApps = [Array(Name.word.utf8)]
      first.save = LocationSettings(allowed: false, exceptions: LocationSet([.box]))
    }
    #expect(free.ask(.data(.share, with: Name.word, as: Name.work)).answer == Answer(.allow, .transferAllowed))
    #expect(free.ask(.data(.save, at: .box, of: Name.work)).answer == Answer(.allow, .locationAllowed))
  }

  /// PM-01: the smallest exception of those that refuse; a protection that refuses nothing limits nothing.
  @Test(arguments: [
    (5, 20, ClipboardLevel.managed, Answer(.allow, .withinLimit), 5),
    (6, 20, .managed, Answer(.block, .orgDataOverLimit), 5),
    (6, 20, .any, Answer(.allow, .withinLimit), 20), (21, 20, .any, Answer(.block, .orgDataOverLimit), 20),
    (1, 20, .blocked, Answer(.allow, .withinLimit), 5),
  ])
  func limitsTakeTheMinimum(_ length: Int, _ limit: Int, _ other: ClipboardLevel, _ answer: Answer, _ told: Int) throws
  {
    var bound = try TwiceBound { first, second in
      (first.clipboard.level, first.clipboard.exceptionLength) = (.managed, limit)
      (second.clipboard.level, second.clipboard.exceptionLength) = (other, 5)
    }
    let copied = Event.data(.copy) { ($0.selection, $0.length) = (.clipboard, length) }
    #expect(bound.ask(copied).answer == Answer(.allow, .clipRecorded))
    let paste = Event.data(.paste, in: "P") {
      ($0.selection, $0.length, $0.offersPlainText) = (.clipboard, length, true)
    }
    let decision = decide(paste, of: bound.asker, &bound.example.state, under: bound.example.snapshot)
    #expect(Answer(decision) == answer)
    #expect(decision.limit == told)
  }

  /// PM-01: the budget a minute is the smallest, too.
  @Test
  func theSmallestBudgetHolds() throws {
    var bound = try TwiceBound { first, second in
      (first.clipboard.level, first.clipboard.exceptionLength) = (.managed, 20)
      (second.clipboard.level, second.clipboard.exceptionLength) = (.managed, 20)
      (first.clipboard.exceptionPerMinute, second.clipboard.exceptionPerMinute) = (100, 10)
    }
    _ = bound.ask(.data(.copy) { ($0.selection, $0.length) = (.clipboard, 8) })
    let paste = Event.data(.paste, in: "P") {
      ($0.selection, $0.length, $0.offersPlainText) = (.clipboard, 8, true)
    }
    #expect(bound.ask(paste).answer == Answer(.allow, .withinLimit))
    #expect(bound.ask(paste).answer == Answer(.block, .orgDataOverLimit))
  }

  /// PM-01: conditions accumulate: one protection wants a scanner, the other encryption.
  @Test
  func conditionsAccumulate() throws {
    var bound = try TwiceBound { first, second in
      (first.requiresInspection, first.encrypt, second.encrypt) = (true, false, true)
    }
    #expect(bound.ask(.data(.copy) { $0.selection = .clipboard }) == (Answer(.block, .scanRequired), "first"))
    let saved = decide(
      .data(.save, at: .box, of: Name.work), of: bound.asker, &bound.example.state, under: bound.example.snapshot)
    #expect(saved.flags[.mustEncrypt])
  }

  /// PM-01, FE-01: of the ways that protections ask for the strictest counts, and those that ask for none have no say;
  /// encryption is a duty, so that of a protection that only monitors counts as well.
  @Test func theStrictestWayToEncryptCounts() throws {
    for first in FileEncryption.allCases {
      for second in FileEncryption.allCases {
        let bound = try TwiceBound { one, two in
          (one.encrypt, one.encryptBy) = (first.isRequired, first.isRequired ? first : .envelope)
          (two.encrypt, two.encryptBy) = (second.isRequired, second.isRequired ? second : .envelope)
          two.monitoredUntil = 2_000_000_000
        }
        let listed = bound.example.state.dataProtections(of: bound.asker, bound.example.snapshot)
        let order: [FileEncryption] = [.none, .volume, .gocryptfs, .fscrypt, .envelope]
        let expected = order.last { $0 == first || $0 == second }
        #expect(listed.values.map(\.encryption) == [expected], "\(first) and \(second)")
      }
    }
  }

  /// US-06: of two dialers a link may go to neither; of one and any, to the one.
  @Test
  func twoProgramsAreNone() throws {
    let calls = SchemeClassSetting.program(Program(desktopID: "org.gnome.Calls.desktop"))
    let other = SchemeClassSetting.program(Program(desktopID: "org.kde.plasma.dialer.desktop"))
    for (setting, expected) in [
      (other, Answer(.block, .schemeClassBlocked)), (.any, Answer(.handOff, .schemeClassAllowed)),
    ] {
      var bound = try TwiceBound { first, second in
        (first.send, second.send) = (.managed, .managed)
        (first.telecommunication, second.telecommunication) = (calls, setting)
      }
      #expect(bound.ask(.data(.openURL, url: "tel:1")).answer == expected)
    }
  }

  /// What one protection warns of and the other blocks stays blocked; what both warn of, or one alone, the user decides.
  @Test(arguments: [
    (Permission.block, false, Answer(.block, .printBlocked)), (.block, true, Answer(.warn, .printBlocked)),
    (.allow, false, Answer(.warn, .printBlocked)),
  ])
  func aWarningLiftsItsOwnProtectionOnly(_ other: Permission, _ otherWarns: Bool, _ answer: Answer) throws {
    for isSwapped in [false, true] {
      var bound = try TwiceBound(features: [.warn, .wrap, .plainText]) { first, second in
        (first.printing, first.warn, second.printing) = (.block, EventSet([.print]), other)
        if otherWarns { second.warn = EventSet([.print]) }
        if isSwapped { Self.exchange(&first, &second) }
      }
      #expect(bound.ask(.data(.print)).answer == answer)
    }
  }

  /// A protection that only monitors is merged apart: it advises, and lifts nothing of the others, nor its lists theirs.
  @Test
  func whatOnlyMonitorsOnlyAdvises() throws {
    var bound = try TwiceBound { first, second in
      first.monitoredUntil = 100
      (first.printing, first.webTransfer, first.send) = (.block, .block, .managed)
      (second.webTransfer, second.send, second.screenCapture) = (.managedBrowser, .managed, .block)
      second.exemptSchemes = [Array("skype".utf8)]
    }
    let printed = decide(.data(.print), of: bound.asker, &bound.example.state, under: bound.example.snapshot)
    #expect(Answer(printed) == Answer(.allow, .monitored))
    #expect(printed.advice.map { Answer($0.outcome, $0.reason) } == Answer(.block, .printBlocked))
    let page = decide(
      .page("https://news.example/"), of: bound.asker, &bound.example.state, under: bound.example.snapshot)
    #expect(Answer(page) == Answer(.redirect, .external))
    #expect(page.advice.map { Answer($0.outcome, $0.reason) } == Answer(.block, .externalBlocked))
    #expect(bound.ask(.data(.capture)) == (Answer(.block, .captureBlocked), "second"))
    let call = decide(
      .data(.openURL, url: "skype:a"), of: bound.asker, &bound.example.state, under: bound.example.snapshot)
    #expect(Answer(call) == Answer(.handOff, .monitored))
    #expect(call.advice.map { Answer($0.outcome, $0.reason) } == Answer(.block, .handOffBlocked))
  }

  /// L4: where rules apply always and nobody is signed in, each setting takes the strictest of all protections, not those
  /// of the one with the strictest web transfer.
  @Test(arguments: [false, true])
  func nobodysPagesGoByTheStrictestOfEachSetting(_ isSwapped: Bool) throws {
    var policy = ExamplePolicy()
    policy.app.classes[0].rulesApply = .always
    policy.protection = Protection(name: "first")
    var second = Protection(name: "second")
    (policy.protection.webTransfer, second.send) = (.block, .none)
    policy.otherProtections = [second]
    if isSwapped { swap(&policy.protection, &policy.otherProtections[0]) }
    var example = try Example(policy, as: "")
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.block, .externalBlocked))
    #expect(Answer(example.navigate("skype:echo")) == Answer(.block, .handOffBlocked))
  }

  /// A reload that takes one of two protections away leaves the other's settings, and the same the other way round.
  @Test
  func aReloadMergesAnew() throws {
    var policy = ExamplePolicy()
    policy.protection = Protection(name: "first")
    policy.protection.accountPatterns = ["*@contoso.com"]
    policy.protection.printing = .block
    var example = try Example(policy)
    #expect(Answer(example.decide(.data(.print))) == Answer(.block, .printBlocked))
    #expect(Answer(example.decide(.data(.capture))) == Answer(.allow, .captureAllowed))
    var second = Protection(name: "second")
    second.accountPatterns = ["work@contoso.com"]
    second.screenCapture = .block
    example.reload(policy.with { $0.otherProtections = [second] })
    #expect(Answer(example.decide(.data(.print))) == Answer(.block, .printBlocked))
    #expect(Answer(example.decide(.data(.capture))) == Answer(.block, .captureBlocked))
    example.reload(policy.with { $0.protection = second })
    #expect(Answer(example.decide(.data(.print))) == Answer(.allow, .printAllowed))
    #expect(Answer(example.decide(.data(.capture))) == Answer(.block, .captureBlocked))
  }

  /// As many protections as a policy may have, the strict one last.
  @Test
  func theLastOfManyCounts() throws {
    var policy = ExamplePolicy()
    policy.protection = Protection(name: "first")
    policy.protection.accountPatterns = ["*@contoso.com"]
    policy.otherProtections = (2...ProtectionSet.capacity).map { number in
      var protection = Protection(name: "number-\(number)")
      protection.accountPatterns = ["*@contoso.com"]
      return protection
    }
    policy.otherProtections[ProtectionSet.capacity - 2].printing = .block
    var example = try Example(policy)
    let decision = example.decide(.data(.print))
    #expect(Answer(decision) == Answer(.block, .printBlocked))
    #expect(decision.protection == ProtectionIndex(ProtectionSet.capacity - 1))
  }
}

extension Example {
  fileprivate mutating func decide(_ event: Event) -> Decision {
    PolicyEngine.decide(event, of: portal, &state, under: snapshot)
  }
}

extension Event {
  fileprivate static func page(_ url: String) -> Event { .data(.navigate, url: url) { $0.frame = .main } }
}
