import FuzzSupport
import EmbeddedGuard
import JSONText
import TestSupport

/// People with accounts, their programs and an administrator, who all tell the truth. What holds of the accounts is known
/// without the daemon: an account works exactly while it is registered and nobody wiped it. So it works again only when what
/// kept it from that is over, and no program is asked to remove an account that nobody wiped.
struct AccountPeople {
  /// An account of one app of one person.
  struct Place: Hashable {
    var holder: AccountHolding
    var account: String
  }

  /// A wipe that is known to be under way.
  struct KnownWipe {
    var person: UInt32
    var app: String?
    var account: String
    /// The apps that owe an answer; nil before they are asked.
    var owing: Set<String>?
    /// Wipes are chosen in the order in which they began: their ids differ from run to run.
    var number = 0

    func covers(_ place: Place) -> Bool {
      place.account == account && place.holder.person == person && (app == nil || app == place.holder.app)
    }
  }

  private let daemon: EmbeddedGuard
  private var starts: Int
  private var administrator: AskingLine
  private var programs: [AccountProgram] = []
  private var enrolled: Set<Place> = []
  private var wipes: [String: KnownWipe] = [:]
  /// The wipe that the latest step wants to begin: the next one that is seen has to be this.
  private var wanted: KnownWipe?
  private var begun = 0
  private var story: [String] = []

  private static let persons: [UInt32] = [7, 8]
  private static let apps = ["wallet", "ledger"]
  private static let accounts = ["left@contoso.com", "work@contoso.com", "third@contoso.com"]

  init(_ daemon: EmbeddedGuard) throws {
    (self.daemon, starts) = (daemon, daemon.starts)
    administrator = try AskingLine(daemon, uid: 0, asAdministrator: true)
    for person in Self.persons {
      for app in Self.apps {
        programs.append(try AccountProgram(daemon, AccountHolding(person: person, app: app)))
      }
    }
  }

  mutating func step(_ choices: inout some Choices) throws {
    // Time may have passed.
    lookAtWipes()
    hear()
    let (place, number) = place(&choices)
    switch choices.below(12) {
    case 0...2: register(place, number)
    case 3: deregister(place, number, removing: false)
    case 4: deregister(place, number, removing: true)
    case 5: wipe(place, ofAllApps: choices.once(in: 2), now: choices.once(in: 2))
    case 6: restore(lockedPlace(&choices) ?? place)
    case 7: daemon.run(hours: choices.once(in: 2) ? 1 : 73)
    case 8, 9: complete(&choices)
    case 10: try programs[number].comeBack(asItself: choices.once(in: 2))
    default: break
    }
    lookAtWipes()
    hear()
    check(place, number)
  }

  /// Mostly one with which something happened before.
  private func place(_ choices: inout some Choices) -> (Place, Int) {
    let all = programs.indices.flatMap { number in
      Self.accounts.map { (Place(holder: programs[number].holding, account: $0), number) }
    }
    let busy = all.filter { enrolled.contains($0.0) || isLocked($0.0) }
    return choices.one(of: busy.isEmpty || choices.once(in: 4) ? all : busy)
  }

  private func lockedPlace(_ choices: inout some Choices) -> Place? {
    let holdings = programs.map(\.holding)
    let locked = holdings.flatMap { holding in
      Self.accounts.map { Place(holder: holding, account: $0) }.filter(isLocked)
    }
    return locked.isEmpty || choices.once(in: 4) ? nil : choices.one(of: locked)
  }

  private func isLocked(_ place: Place) -> Bool { wipes.values.contains { $0.covers(place) } }

  private func fail(_ what: String) -> Never {
    require(false, story.suffix(30).joined(separator: "\n") + "\n" + what)
    fatalError()
  }

  // MARK: What people do

  private mutating func register(_ place: Place, _ number: Int) {
    let answer = programs[number].ask("Register", ["account": .string(place.account)])
    story.append("\(place) registers: \(answer.tree)")
    let state = answer.parameters["state"]?.string
    guard !isLocked(place) else {
      if state == "enrolled" { fail("a locked account is registered") }
      return
    }
    if state != "enrolled" { fail("an account that nobody locked is not enrolled") }
    enrolled.insert(place)
  }

  private mutating func deregister(_ place: Place, _ number: Int, removing: Bool) {
    let data = removing ? "remove" : "keep"
    let answer = programs[number].ask("Deregister", ["account": .string(place.account), "data": .string(data)])
    story.append("\(place) deregisters, \(data): \(answer.tree)")
    guard enrolled.remove(place) != nil, removing, !isLocked(place) else { return }
    wanted = KnownWipe(person: place.holder.person, app: place.holder.app, account: place.account)
  }

  private mutating func wipe(_ place: Place, ofAllApps: Bool, now: Bool) {
    var members: [JSONTree.Member] = [
      .init("account", .string(place.account)), .init("uid", .int(Int64(place.holder.person))),
      .init("reason", "left"), .init("now", .bool(now)),
    ]
    if !ofAllApps { members.append(.init("app", .string(place.holder.app))) }
    guard let code = order("WipeAccount", members).parameters["code"]?.string else { return }
    let answer = order("WipeAccount", members + [.init("confirm", .string(code))])
    story.append("\(place) is wiped, all apps \(ofAllApps), now \(now): \(answer.tree)")
    guard answer.error == nil else { return }
    wanted = KnownWipe(
      person: place.holder.person, app: ofAllApps ? nil : place.holder.app, account: place.account)
  }

  private mutating func restore(_ place: Place) {
    let answer = order(
      "RestoreAccount",
      [
        .init("account", .string(place.account)), .init("uid", .int(Int64(place.holder.person))),
        .init("reason", "back"),
      ])
    story.append("\(place) is restored: \(answer.tree)")
    guard answer.error == nil else { return }
    wipes = wipes.filter { _, wipe in
      wipe.owing != nil || wipe.person != place.holder.person || wipe.account != place.account
    }
  }

  private func order(_ method: String, _ members: [JSONTree.Member]) -> Answer {
    administrator.call("Admin." + method, .object(members))
  }

  /// Some program answers some request: only those whom it was put to, once.
  private mutating func complete(_ choices: inout some Choices) {
    let owing = programs.indices.filter { number in
      let holding = programs[number].holding
      return wipes.values.contains { $0.person == holding.person && $0.owing?.contains(holding.app) == true }
    }
    let number = choices.one(of: owing.isEmpty || choices.once(in: 4) ? Array(programs.indices) : owing)
    let requests = wipes.sorted { $0.value.number < $1.value.number }.map(\.key)
    let request = requests.isEmpty ? "w-0-0" : choices.one(of: requests)
    let result = choices.one(of: ["done", "refused", "failed"])
    let answer = programs[number].ask("Complete", ["request": .string(request), "result": .string(result)])
    let holding = programs[number].holding
    story.append("\(holding) completes \(request) with \(result): \(answer.tree)")
    let isOwed = wipes[request]?.person == holding.person && wipes[request]?.owing?.contains(holding.app) == true
    if isOwed != (answer.error == nil) { fail("whoever owes an answer gives it, and nobody else; owed: \(isOwed)") }
    guard isOwed else { return }
    wipes[request]?.owing?.remove(holding.app)
    guard let wipe = wipes[request], wipe.owing?.isEmpty ?? false else { return }
    wipes[request] = nil
    for place in enrolled where wipe.covers(place) { enrolled.remove(place) }
  }

  // MARK: What has to hold

  /// Wipes begin by an order, and end by the answers of all apps or by an administrator.
  private mutating func lookAtWipes() {
    let listed = order("Wipes", []).parameters["wipes"]?.array ?? []
    for one in listed {
      let (id, person) = (one["id"]?.string ?? "", UInt32(one["uid"]?.int ?? 0))
      guard Self.persons.contains(person) else { continue }
      if wipes[id] == nil { begin(id, one, person) }
      guard one["phase"]?.string == "asking", wipes[id]?.owing == nil else { continue }
      wipes[id]?.owing = Set((one["apps"]?.array ?? []).compactMap { $0["app"]?.string })
    }
    let ids = Set(listed.compactMap { $0["id"]?.string })
    for (id, wipe) in wipes where !ids.contains(id) {
      // Nothing was there to be removed.
      guard wipe.owing == nil, !enrolled.contains(where: wipe.covers) else {
        fail("the wipe \(id) is gone, and nobody ended it: \(wipe)")
      }
      wipes[id] = nil
    }
    if let wanted { fail("a wipe that was wanted did not begin: \(wanted)") }
  }

  private mutating func begin(_ id: String, _ listed: JSONTree, _ person: UInt32) {
    let account = listed["account"]?.string
    guard let wipe = wanted, wipe.person == person, wipe.account == account, wipe.app == listed["app"]?.string else {
      fail("a wipe that nobody wanted: \(listed)")
    }
    begun += 1
    wipes[id] = wipe
    wipes[id]?.number = begun
    wanted = nil
  }

  /// A request to remove names an account that was wiped here, and no other.
  private mutating func hear() {
    for number in programs.indices {
      let holding = programs[number].holding
      for news in programs[number].news() where news["topic"]?.string == "wipe" {
        let (id, account) = (news["request"]?.string ?? "", news["account"]?.string ?? "")
        let wipe = wipes[id]
        if wipe?.covers(Place(holder: holding, account: account)) != true || wipe?.owing?.contains(holding.app) != true
        {
          fail("\(holding) is asked to remove \(account) by \(id): \(String(describing: wipe))")
        }
      }
    }
  }

  private func check(_ place: Place, _ number: Int) {
    _ = programs[number].program.call("SetIdentity", ["level": "process", "account": .string(place.account)])
    guard let decision = programs[number].program.call("Print", ["event": ["viewer": "v"]]).decisions.first else {
      fail("no decision about \(place)")
    }
    let isFree = enrolled.contains(place) && !isLocked(place)
    let reason = decision["reason"]?.string ?? ""
    let isWithheld = ["policyRequired", "accountBlocked", "accountWiped"].contains(reason)
    if isFree == isWithheld || isWithheld && decision["outcome"] != "block" {
      fail("\(place) may work: \(isFree); the daemon says \(decision)")
    }
  }

  // MARK: Coming and going

  /// All come back at once to a daemon that somebody restarted.
  mutating func comeBack() throws {
    guard starts != daemon.starts else { return }
    starts = daemon.starts
    story.append("the daemon is killed and comes back")
    administrator = try AskingLine(daemon, uid: 0, asAdministrator: true)
    for number in programs.indices { try programs[number].comeBack(asItself: true) }
  }

  func close() {
    administrator.line.close()
    for program in programs { program.close() }
  }
}

/// One app of one person.
struct AccountHolding: Hashable {
  var person: UInt32
  var app: String
}

/// A program of it that shows an account in the viewer `v`, and listens to requests.
struct AccountProgram {
  let holding: AccountHolding
  private let daemon: EmbeddedGuard
  private(set) var program: AskingProgram
  private var listening: AskingLine
  private var unheard: [UInt8] = []

  init(_ daemon: EmbeddedGuard, _ holding: AccountHolding) throws {
    (self.daemon, self.holding) = (daemon, holding)
    program = try AskingProgram(daemon, uid: holding.person, app: holding.app)
    listening = try AskingLine(daemon, uid: holding.person)
    begin()
  }

  private func begin() {
    program.tell("RegisterViewer", ["viewer": "v"])
    let attach: JSONTree = ["app": .string(holding.app), "instance": .string(program.token)]
    require(listening.call("Guard.Attach", attach).error == nil, "a second line of \(holding) is attached")
    listening.send("Guard.Subscribe", ["topics": ["wipe"]], more: true)
  }

  mutating func comeBack(asItself: Bool) throws {
    listening.line.close()
    if !asItself {
      program.close()
      // Its instance ends when nobody comes back in time.
      daemon.advance(seconds: 3)
    }
    try program.comeBack(asItself: asItself)
    listening = try AskingLine(daemon, uid: holding.person)
    unheard = []
    begin()
  }

  func ask(_ method: String, _ parameters: JSONTree) -> Answer {
    program.call(method, parameters, of: "Accounts")
  }

  /// What it was told since the last time.
  mutating func news() -> [JSONTree] {
    daemon.run()
    unheard += listening.line.received()
    var told: [JSONTree] = []
    while let end = unheard.firstIndex(of: 0) {
      told.append(Answer(Array(unheard[..<end])).parameters)
      unheard.removeSubrange(...end)
    }
    return told
  }

  func close() {
    program.close()
    listening.line.close()
  }
}
