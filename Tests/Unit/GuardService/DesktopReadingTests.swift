import Bus
import Foundation
import GuardModel
import GuardService
import PolicyEngine
import TestSupport
import Testing

/// The words of logind and polkit, as the daemon reads them. Ledger CD-04, CD-05, FC-05.
@Suite struct DesktopReadingTests {
  // MARK: Sessions

  private static func listed(_ uid: BusValue, _ path: BusValue) -> BusValue {
    .structure([.string("c1"), uid, .string("ada"), .string("seat0"), path])
  }

  private static let path = "/org/freedesktop/login1/session/c1"

  @Test(
    arguments: [
      ("one", [.array(of: "(susso)", [listed(.uint32(1000), .objectPath(path))])], [1000]),
      ("none", [.array(of: "(susso)", [])], []),
      (
        "several of a person",
        [.array(of: "(susso)", [listed(.uint32(7), .objectPath("/a")), listed(.uint32(7), .objectPath("/b"))])], [7, 7]
      ),
      ("the highest uid", [.array(of: "(susso)", [listed(.uint32(.max), .objectPath(path))])], [.max]),
      ("another type", [.array(of: "(susss)", [listed(.uint32(1000), .objectPath(path))])], nil),
      ("no list", [.string("c1")], nil), ("nothing", [], nil),
      ("two lists", [.array(of: "(susso)", []), .array(of: "(susso)", [])], nil),
      ("a negative uid", [.array(of: "(susso)", [listed(.int32(-1), .objectPath(path))])], []),
      ("too few parts", [.array(of: "(susso)", [.structure([.string("c1"), .uint32(1000)])])], []),
    ] as [(String, [BusValue], [UInt32]?)])
  func sessions(_ name: String, _ answer: [BusValue], _ uids: [UInt32]?) {
    #expect(PresenceReading.sessions(answer)?.map(\.uid) == uids, "\(name)")
  }

  // MARK: One session

  /// Microseconds of the clock that logind's times are by.
  private static let now: UInt64 = 600_000_000

  private static func presence(_ properties: [String: BusValue]) -> Presence? {
    PresenceReading.presence([.options(properties)], at: now)
  }

  @Test(
    arguments: [
      ("somebody is there", ["IdleHint": .bool(false), "LockedHint": .bool(false)], .present),
      (
        "idle for five minutes", ["IdleHint": .bool(true), "IdleSinceHintMonotonic": .uint64(300_000_000)],
        .idle(300_000)
      ),
      ("idle since the future", ["IdleHint": .bool(true), "IdleSinceHintMonotonic": .uint64(600_000_001)], .idle(0)),
      ("idle since never", ["IdleHint": .bool(true), "IdleSinceHintMonotonic": .uint64(0)], .idle(0)),
      ("idle without a time", ["IdleHint": .bool(true)], .idle(0)),
      ("locked", ["IdleHint": .bool(false), "LockedHint": .bool(true)], .locked),
      ("locked, and says no more", ["LockedHint": .bool(true)], .locked),
      ("says nothing", [:], .unknown), ("idle as a text", ["IdleHint": .string("yes")], .unknown),
      ("locked as a number", ["LockedHint": .uint32(1), "IdleHint": .bool(false)], .present),
      ("a greeter", ["Class": .string("greeter"), "IdleHint": .bool(false)], nil),
      ("a manager", ["Class": .string("manager"), "IdleHint": .bool(false)], nil),
      ("an early user", ["Class": .string("user-early"), "IdleHint": .bool(false)], .present),
      ("one that ends", ["State": .string("closing"), "IdleHint": .bool(false)], nil),
      ("one that is online", ["State": .string("online"), "IdleHint": .bool(false)], .present),
    ] as [(String, [String: BusValue], Presence?)])
  func presence(_ name: String, _ properties: [String: BusValue], _ expected: Presence?) {
    #expect(Self.presence(properties) == expected, "\(name)")
  }

  @Test(arguments: [[], [.string("x")], [.texts(["IdleHint": "no"])], [.options([:]), .options([:])]] as [[BusValue]])
  func whatIsNoListOfPropertiesIsNobody(_ answer: [BusValue]) {
    #expect(PresenceReading.presence(answer, at: Self.now) == nil)
  }

  // MARK: Several sessions

  @Test(
    arguments: [
      ([], .unknown), ([.present], .present), ([.locked], .locked), ([.locked, .locked], .locked),
      ([.locked, .present], .present), ([.unknown, .present], .present), ([.unknown, .locked], .unknown),
      ([.unknown, .idle(1)], .unknown), ([.idle(9), .idle(2), .idle(5)], .idle(2)), ([.idle(3), .locked], .idle(3)),
    ] as [([Presence], Presence)])
  func together(_ sessions: [Presence], _ expected: Presence) {
    #expect(PresenceReading.together(sessions) == expected)
    #expect(PresenceReading.together(sessions.reversed()) == expected, "in any order")
  }

  // MARK: polkit

  private static func answer(
    _ isAuthorised: Bool, _ isChallenge: Bool, _ details: [String: String] = [:]
  ) -> Result<[BusValue], BusError> {
    .success([.structure([.bool(isAuthorised), .bool(isChallenge), .texts(details)])])
  }

  private static let cancelled = "org.freedesktop.PolicyKit1.Error.Cancelled"

  /// A yes without a dialogue shows nothing; a yes after one unlocks.
  @Test(
    arguments: [
      ("yes", answer(true, false), .noChallenge, .unlocked),
      ("yes, and a dialogue", answer(true, true), .noChallenge, .unlocked),
      ("a dialogue", answer(false, true), nil, .noAgent), ("no", answer(false, false), .refused, .refused),
      ("closed", answer(false, false, ["polkit.dismissed": "true"]), .refused, .dismissed),
      ("closed, and a yes", answer(true, false, ["polkit.dismissed": "true"]), .noChallenge, .unlocked),
      ("taken back", .failure(.refused(name: cancelled, message: "")), .serviceFailure, .dismissed),
      (
        "another error", .failure(.refused(name: "org.freedesktop.DBus.Error.ServiceUnknown", message: "")),
        .serviceFailure, .serviceFailure
      ),
      ("no answer", .failure(.timedOut), .serviceFailure, .serviceFailure),
      ("the bus is gone", .failure(.gone), .serviceFailure, .serviceFailure),
    ] as [(String, Result<[BusValue], BusError>, UnlockResult?, UnlockResult)])
  func polkit(
    _ name: String, _ answer: Result<[BusValue], BusError>, _ without: UnlockResult?, _ after: UnlockResult
  ) {
    #expect(UnlockResult(withoutDialogue: answer) == without, "\(name)")
    #expect(UnlockResult(afterDialogue: answer) == after, "\(name)")
  }

  /// The attack: an answer of another shape, in which a yes might be found all the same.
  @Test(
    arguments: [
      [], [.bool(true)], [.bool(true), .bool(false), .texts([:])], [.structure([.bool(true), .bool(false)])],
      [.structure([.bool(true), .bool(false), .texts([:]), .bool(true)])],
      [.structure([.bool(true), .bool(false), .options([:])])],
      [.structure([.uint32(1), .bool(false), .texts([:])])],
      [.structure([.string("true"), .bool(false), .texts([:])])],
      [.structure([.bool(true), .bool(false), .texts([:])]), .bool(true)],
      [.variant(.structure([.bool(true), .bool(false), .texts([:])]))],
    ] as [[BusValue]])
  func anAnswerOfAnotherShapeUnlocksNothing(_ values: [BusValue]) {
    #expect(UnlockResult(withoutDialogue: .success(values)) == .serviceFailure)
    #expect(UnlockResult(afterDialogue: .success(values)) == .serviceFailure)
  }

  // MARK: The question

  private static func ask(pid: Int32 = getpid(), account: String = "work@contoso.com") -> UnlockAsk {
    UnlockAsk(uid: 1000, pid: pid, account: account, app: "com.contoso.viewers")
  }

  @Test func theQuestionNamesTheProcessAndTheAction() throws {
    let call = try #require(Self.ask().call(cancellation: nil))
    #expect(call.member == "CheckAuthorization" && call.destination == "org.freedesktop.PolicyKit1")
    #expect(call.arguments.count == 5)
    #expect(call.arguments[1] == .string("org.webviewguard.unlock"))
    #expect(call.arguments[3] == .uint32(0) && call.arguments[4] == .string(""), "no dialogue")
    let subject = try #require(call.arguments[0].members)
    #expect(subject[0] == .string("unix-process"))
    #expect(subject[1]["pid"]?.number == UInt64(getpid()) && subject[1]["uid"] != nil)
    let start = try #require(subject[1]["start-time"]?.number)
    #expect(start > 0, "field 22 of /proc/PID/stat")
    #expect(subject[1]["pidfd"] == nil)
    let asking = try #require(Self.ask().call(cancellation: "webviewguard-7"))
    #expect(asking.arguments[3] == .uint32(1) && asking.arguments[4] == .string("webviewguard-7"))
  }

  @Test(arguments: [0, -1, Int32.max])
  func nobodyIsAskedForAProcessThatIsNone(_ pid: Int32) {
    #expect(Self.ask(pid: pid).call(cancellation: nil) == nil)
  }

  /// The attack: an app names an account that closes the dialogue's text, or turns it round.
  @Test(
    arguments: [
      ("work@contoso.com", "work@contoso.com"), ("<b>root</b>", "?b?root?/b?"), ("a\u{202E}b", "a?b"), ("a\nb", "a?b"),
      ("a&amp;b", "a?amp;b"), (String(repeating: "é", count: 500), String(repeating: "é", count: 200)), ("", ""),
    ] as [(String, String)])
  func aDialogueShowsPlainText(_ account: String, _ shown: String) throws {
    let call = try #require(Self.ask(account: account).call(cancellation: "c"))
    #expect(call.arguments[2]["account"]?.text == shown)
    let bare = try #require(Self.ask(account: account).call(cancellation: "c", withDetails: false))
    #expect(bare.arguments[2]["account"] == nil)
  }

  @Test func aDialogueIsTakenBackByItsName() {
    let call = UnlockAsk.cancelling("webviewguard-7")
    #expect(call.member == "CancelCheckAuthorization" && call.arguments == [.string("webviewguard-7")])
  }
}

/// The bus's thread without a bus: questions fail at once and say why, presences are unknown, and nothing is tried in
/// between two retries.
@Suite struct DesktopSessionTests {
  private final class Tries: Sendable {
    let count = Locked(0)

    func open() throws(BusError) -> Bus {
      count.withLock { $0 += 1 }
      throw .unreachable("no such file")
    }
  }

  private static func orders(asks: [UInt64] = [], watched: Set<UInt32> = []) -> DesktopBus.Orders {
    var orders = DesktopBus.Orders()
    orders.asks = asks.map { ($0, UnlockAsk(uid: 1000, pid: getpid(), account: "work@contoso.com", app: "app")) }
    orders.watched = watched
    return orders
  }

  /// The questions that failed, in the order of their numbers.
  private static func failed(_ news: [DesktopBus.News], because words: String = "") -> [UInt64] {
    news.compactMap { news -> UInt64? in
      guard case .unlock(let number, .serviceFailure, let cause?) = news, words.isEmpty || cause.contains(words) else {
        return nil
      }
      return number
    }
    .sorted()
  }

  @Test func everyQuestionFailsAndSaysWhy() {
    let tries = Tries()
    var session = DesktopSession(waking: -1) { () throws(BusError) in try tries.open() }
    let news = session.step(Self.orders(asks: [3, 4], watched: [1000, 1001]))
    #expect(Self.failed(news, because: "no such file") == [3, 4])
    #expect(news.contains(.presences([1000: .unknown, 1001: .unknown])) && news.count == 3)
    // So soon after the failure the bus is not tried again, and the next question fails all the same.
    let later = session.step(Self.orders(asks: [5], watched: [1000]))
    #expect(Self.failed(later) == [5])
    #expect(later.contains(.presences([1000: .unknown])))
    #expect(tries.count.withLock { $0 } == 1)
  }

  @Test func theEndIsNoNews() {
    let tries = Tries()
    var session = DesktopSession(waking: -1) { () throws(BusError) in try tries.open() }
    var orders = Self.orders(watched: [1000])
    orders.hasEnded = true
    let news = session.step(orders)
    #expect(news.isEmpty)
    #expect(tries.count.withLock { $0 } == 0, "nothing is opened at the end")
  }
}
