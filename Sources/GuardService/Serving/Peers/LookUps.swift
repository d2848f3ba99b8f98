internal import GuardProtocol
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import PolicyEngine

/// Looks up names and files on threads of its own: a slow directory server, or a user with hundreds of groups, must
/// hold no connected peer up.
final class LookUps: Sendable {
  /// A peer that connected.
  struct Arrival: Sendable {
    /// With its unit.
    var peer: Peer
    var person: Person
    /// On the admin socket: the log's name of the administrator.
    var userName: String?
    /// On the admin socket: the user who logged in, whatever user the process runs as now (`loginuid` of proc(5)).
    var loginUser: UInt32?
    /// The person's name; nil where no policy asks for it.
    var naming: Users.Naming?
  }

  /// Nil where everything is looked up at once; see ``DrivenGuard``.
  private let arrivals: NIOThreadPool?
  /// Names are for reading: they have a thread of their own, so that no peer waits for them at the door.
  private let names: NIOThreadPool?
  private let persons: Remembered<UInt32, Person>
  private let namings: Remembered<UInt32, Users.Naming>
  private let wantsNamings = Locked(false)
  private let groups = Remembered<UInt32, String>(seconds: 60, Users.name(ofGroup:))

  /// Maximum groups of one peer that are told by name; the others are told by number.
  static let mostNames = 256

  init(_ persons: PersonLookUp = .system, isDriven: Bool = false) {
    self.persons = Remembered(seconds: 60, persons.person(of:))
    namings = Remembered(seconds: 60, persons.naming)
    arrivals = isDriven ? nil : NIOThreadPool(numberOfThreads: 4)
    names = isDriven ? nil : NIOThreadPool(numberOfThreads: 1)
    arrivals?.start()
    names?.start()
  }

  /// Reads facts about the machine, and hands them to the loop; at once where everything is looked up at once.
  func readFacts<One: Sendable, Other: Sendable>(
    _ read: @escaping @Sendable () -> (One, Other), on loop: any EventLoop,
    _ take: @escaping @Sendable (One, Other) -> Void
  ) {
    guard let names else {
      let facts = read()
      return take(facts.0, facts.1)
    }
    names.submit { _ in
      let facts = read()
      loop.execute { take(facts.0, facts.1) }
    }
  }

  /// Does work that may block beside the loop; at once where everything is looked up at once.
  func aside(_ work: @escaping @Sendable () -> Void) {
    guard let names else { return work() }
    names.submit { _ in work() }
  }

  /// Looks up who connected.
  func arrival(of caller: AcceptedPeer, on loop: any EventLoop) -> EventLoopFuture<Arrival> {
    Self.run(on: arrivals, for: loop) { [self] in
      var arrival = Arrival(peer: caller.peer, person: .known(caller.peer.uid))
      arrival.peer.unit = PeerReading.unit(of: caller)
      if !caller.peer.isSameUser { arrival.person = persons[caller.peer.uid] }
      if case .known(let person) = arrival.person { arrival.peer.person = person }
      if caller.served == .adminSocket {
        arrival.userName = Users.name(ofUser: caller.peer.uid)
        arrival.loginUser = Self.loginUser(of: caller.peer.pid)
      }
      if case .known(let person) = arrival.person, wantsNamings.withLock({ $0 }) { arrival.naming = namings[person] }
      return arrival
    }
  }

  /// Nil for a process without a login, such as a service's, and on a machine without such records.
  private static func loginUser(of pid: Int32) -> UInt32? {
    let text = SmallFile.text(at: "/proc/\(pid)/loginuid", maximum: 16)
    return text.flatMap { UInt32($0.prefix { $0 != "\n" }) }.flatMap { $0 == .max ? nil : $0 }
  }

  /// Whether the names of persons who connect are looked up: some app takes the user database's word.
  func wantNamings(_ wanted: Bool) { wantsNamings.withLock { $0 = wanted } }

  /// The names of persons.
  func namings(of persons: [UInt32], on loop: any EventLoop) -> EventLoopFuture<[UInt32: Users.Naming]> {
    Self.run(on: names, for: loop) { [self] in
      Dictionary(uniqueKeysWithValues: persons.map { ($0, namings[$0]) })
    }
  }

  /// The home of a person, for what lies below it; empty where the user database knows none. Nothing in it is read.
  func home(of person: UInt32, on loop: any EventLoop) -> EventLoopFuture<String> {
    Self.run(on: names, for: loop) { Users.home(ofUser: person) ?? "" }
  }

  /// The names of groups.
  func names(ofGroups groups: [UInt32], on loop: any EventLoop) -> EventLoopFuture<[String]> {
    Self.run(on: names, for: loop) { [self] in
      groups.enumerated().map { index, group in index < Self.mostNames ? self.groups[group] : String(group) }
    }
  }

  private static func run<Answer: Sendable>(
    on threads: NIOThreadPool?, for loop: any EventLoop, _ lookUp: @escaping @Sendable () -> Answer
  ) -> EventLoopFuture<Answer> {
    threads?.runIfActive(eventLoop: loop, lookUp) ?? loop.makeSucceededFuture(lookUp())
  }

  /// Ends the threads.
  func end() {
    arrivals?.shutdownGracefully { _ in }
    names?.shutdownGracefully { _ in }
  }
}

/// Answers that were looked up lately: a flood of connections is no flood of look-ups. Any thread may ask.
///
///     let names = Remembered<UInt32, String>(seconds: 60) { Users.name(ofGroup: $0) }
///     names[50]    // looks it up, and not again for a minute
package final class Remembered<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Answer {
    let value: Value
    /// By `SystemClock.uptime`, which cannot be set.
    let until: UInt64
  }

  private let answers = Locked<[Key: Answer]>([:])
  private let milliseconds: UInt64
  private let capacity: Int
  private let uptime: @Sendable () -> UInt64
  private let lookUp: @Sendable (Key) -> Value

  /// - Parameters:
  ///   - seconds: how long an answer holds.
  ///   - capacity: how many are kept; with one more, all are forgotten.
  package init(
    seconds: UInt64, capacity: Int = 4096, uptime: (@Sendable () -> UInt64)? = nil,
    _ lookUp: @escaping @Sendable (Key) -> Value
  ) {
    milliseconds = seconds * 1000
    self.capacity = capacity
    self.uptime = uptime ?? { SystemClock.uptime }
    self.lookUp = lookUp
  }

  package subscript(key: Key) -> Value {
    let now = uptime()
    let known = answers.withLock { answers -> Value? in
      guard let answer = answers[key], now < answer.until else { return nil }
      return answer.value
    }
    if let known { return known }
    // Not under the lock: others must not wait for a name service.
    let value = lookUp(key)
    answers.withLock { answers in
      if answers.count >= capacity, answers[key] == nil { answers.removeAll() }
      answers[key] = Answer(value: value, until: now + milliseconds)
    }
    return value
  }
}
