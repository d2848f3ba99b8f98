import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// Who is let in, and as whom: users, their subordinate uids, and numbers that belong to nobody.
@Suite struct ArrivalCallTests {
  /// A machine with users below 10,000 and two ranges, which lie over each other in ten uids; user 7's database fails.
  private static let persons = PersonLookUp(
    isUser: { $0 == 7 ? nil : $0 < 10_000 },
    owners: { uid in
      var owners: [UInt32] = []
      if (100_000..<165_536).contains(uid) { owners.append(1000) }
      if (165_526..<231_072).contains(uid) { owners.append(1001) }
      return owners
    })

  private static let containers = TestPolicy.files().mapValues {
    $0.replacing("{ uid: 1003 }]", with: "{ uid: 1003 }, { uid: 100005 }, { uid: 100006 }, { uid: 300000 }]")
  }

  private func guardian(settings: String = "") throws -> TestGuard {
    var files = Self.containers
    files["webviewguard.yaml"]? += settings
    return try TestGuard(files, persons: Self.persons)
  }

  @Test(
    arguments: [
      (1000, true), (6000, true), (7, true), (100_000, true), (165_525, true), (231_071, true),
      // Of nobody, and not named.
      (50_000, false), (231_072, false), (.max, false),
      // Of nobody, and named by the policy.
      (300_000, true),
      // Of two users: nobody knows which.
      (165_526, false), (165_535, false),
    ] as [(UInt32, Bool)])
  func onlyTheKnownAreLetIn(_ uid: UInt32, _ isLetIn: Bool) throws {
    let guardian = try guardian()
    #expect((try guardian.core.connect(uid: uid, asAdministrator: false) != nil) == isLetIn)
    #expect(
      try guardian.core.connect(uid: uid, asAdministrator: true) != nil, "the socket's mode says who administrates")
    #expect(guardian.journal.lines(with: "connection closed: its uid").count == (isLetIn ? 0 : 1))
  }

  /// The attack: a user namespace gives one user 65,536 uids, and as many shares of everything.
  @Test func subordinateUidsShareTheirOwnersPlaces() throws {
    let guardian = try guardian(settings: "limits: { connections: 64, connectionsPerUser: 6 }\n")
    var open = 0
    for uid in (100_000..<100_050) as Range<UInt32> {
      if try guardian.core.connect(uid: uid, asAdministrator: false) != nil { open += 1 }
    }
    #expect(open == 6)
    #expect(try guardian.core.connect(uid: 1000, asAdministrator: false) == nil)
    #expect(try guardian.core.connect(uid: 1001, asAdministrator: false) != nil)
    #expect(try guardian.core.connect(uid: 165_600, asAdministrator: false) != nil)
  }

  /// Clipboards belong to persons: a container's copy is its owner's.
  @Test func aContainersClipboardIsItsOwners() throws {
    let guardian = try guardian()
    let (app, container, other) = (
      try guardian.app(), try guardian.app(uid: 100_005), try guardian.app(uid: 1001)
    )
    _ = try container.decide("Copy", ["viewer": "E", "selection": "clipboard", "length": 30])
    let paste: JSONTree = ["viewer": "P", "selection": "clipboard", "length": 30]
    #expect(try app.answer("Paste", paste) == "block orgData")
    #expect(try other.answer("Paste", paste) != "block orgData")
  }

  /// An instance is its uid's all the same: two containers of one user do not share programs.
  @Test func instancesAreTheUids() throws {
    let guardian = try guardian()
    let container = try guardian.app(uid: 100_005)
    let call: JSONTree = ["instance": .string(container.token)]
    #expect(try guardian.program(uid: 1000).outcome("Attach", call) == "UnknownInstance")
    #expect(try guardian.program(uid: 100_006).outcome("Attach", call) == "UnknownInstance")
    #expect(try guardian.program(uid: 100_005).outcome("Attach", call) == "done")
    #expect(try guardian.program(uid: 100_005).ask("OwnPrograms")["programCount"]?.int == 1)
    #expect(try guardian.program(uid: 1000).ask("OwnPrograms")["programCount"]?.int == 0)
  }

  /// The log counts a share for the person, and names the uid that asked.
  @Test func recordsNameTheUid() throws {
    let guardian = try guardian()
    _ = try guardian.app(uid: 100_006).decide("Print", ["viewer": "E"])
    #expect(try guardian.records("decision").map { $0["uid"]?.int } == [100_006])
  }

  /// Random arrivals, against the table of who belongs to whom.
  @Test func placesArePersons() throws {
    var random = SeededGenerator()
    let guardian = try guardian(settings: "limits: { connections: 1024, connectionsPerUser: 5 }\n")
    var held: [UInt32: [EmbeddedLine]] = [:]
    for step in 0..<Effort.scaled(3000) {
      let uid = random.one(of: [
        1000, 1001, 100_000 + UInt32(random.below(60_000)), 170_000 + UInt32(random.below(60_000)),
      ])
      let person = uid < 10_000 ? uid : (uid < 165_526 ? 1000 : 1001)
      let mine = held[person]?.count ?? 0
      if mine > 0, random.oneIn(2) {
        let line = held[person]?.remove(at: random.below(mine))
        line?.close()
      } else if let line = try guardian.core.connect(uid: uid, asAdministrator: false) {
        #expect(mine < 5, "\(random.note) at \(step)")
        held[person, default: []].append(line)
      } else {
        #expect(mine == 5, "\(random.note) at \(step)")
      }
    }
  }
}

/// Units of systemd, as control groups name them.
@Suite struct ProcessUnitTests {
  @Test(
    arguments: [
      ("/system.slice/contoso-kiosk.service", "contoso-kiosk.service"),
      ("/user.slice/user-1000.slice/user@1000.service/app.slice/app-x-7.scope", "app-x-7.scope"),
      ("/user.slice/user-1000.slice/user@1000.service/app.slice", "user@1000.service"), ("/", nil), ("", nil),
      ("/user.slice", nil), ("/init.scope", "init.scope"), ("/a.service/b.slice/c", "a.service"),
      ("/a.service.d/x", nil), ("/.service", ".service"),
    ] as [(String, String?)])
  func theInnermostServiceOrScopeIsTheUnit(_ path: String, _ unit: String?) {
    #expect(ProcessUnit.unit(inPath: path[...]) == unit)
  }

  @Test(arguments: [0, -1, Int32.max]) func aNumberOfNoProcessHasNone(_ pid: Int32) {
    #expect(ProcessUnit.unit(of: pid) == nil)
  }
}

/// Faults that are told, and those that are only counted.
@Suite struct PeerFaultsTests {
  private static let kinds: [PeerFault] = [.tooManyConnections, .unreadableMessage, .refusedCall, .noMemory]

  /// Of each kind and user eight a minute; the rest is a number.
  @Test func eightOfEachAreTold() {
    var faults = PeerFaults()
    for kind in Self.kinds {
      for uid in [1, 2] as [UInt32] {
        let told = (0..<20).map { _ in faults.count(kind, of: uid) }
        #expect(told == [Bool](repeating: true, count: 8) + [Bool](repeating: false, count: 12))
      }
    }
    let untold = faults.takeUntold()
    #expect(untold.count == 8 && untold.allSatisfy { $0.count == 12 })
    #expect(faults.takeUntold().isEmpty)
    let again = faults.count(.noMemory, of: 1)
    #expect(again, "another minute")
  }

  @Test func randomFaultsFollowTheModel() {
    var random = SeededGenerator()
    var faults = PeerFaults()
    var model: [String: Int] = [:]
    for _ in 0..<Effort.scaled(30_000) {
      if random.oneIn(300) {
        let untold = Dictionary(uniqueKeysWithValues: faults.takeUntold().map { ("\($0.fault) \($0.uid)", $0.count) })
        #expect(untold == model.filter { $0.value > 8 }.mapValues { $0 - 8 }, "\(random.note)")
        model = [:]
      }
      let (kind, uid) = (random.one(of: Self.kinds), UInt32(random.below(4)))
      model["\(kind) \(uid)", default: 0] += 1
      let isTold = faults.count(kind, of: uid)
      #expect(isTold == ((model["\(kind) \(uid)"] ?? 0) <= 8), "\(random.note)")
    }
  }
}
