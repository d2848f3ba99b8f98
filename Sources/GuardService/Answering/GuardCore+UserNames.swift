internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// The source `user`: the person's name in the user database says who is signed in (design accounts.md section 2).
///
/// Names are looked up beside the loop, when a program connects, and again every few minutes for those that stay. A database
/// that does not answer signs nobody out: its latest word holds until its end.
extension GuardCore {
  /// The latest word of the user database about a person, and the time until which it need not be told again.
  struct ToldUser: Sendable, Hashable {
    var accounts: [SignedInAccount]
    var until: UInt64
  }

  /// Names of persons whose programs stay are looked up this often, in seconds.
  static let namingSeconds = 600
  /// Milliseconds until the same word is told again, since each is written to the state. It is told well before the
  /// latest one ends: a person who stays is never signed out in between.
  private var toldMilliseconds: UInt64 { min(3_600_000, snapshot.enrollment.signInHolds / 2) }

  private var asksUsers: Bool { snapshot.apps.contains { $0.accounts.sources.contains(.user) } }

  /// Before a program attaches: its person is signed in by being that person.
  func takeUser(of connection: Connection) {
    guard let naming = connection.naming, asksUsers else { return }
    take(naming, of: connection.peer.person)
  }

  /// Another policy is in force: it may ask for names, and may know users by other accounts.
  func adoptUsers() {
    toldUsers = [:]
    lookUps.wantNamings(asksUsers)
    refreshUsers()
  }

  /// Looks up the names of all persons whose programs run.
  func refreshUsers() {
    guard asksUsers else { return }
    let persons = Set(sessions.values.map(\.peer.person)).sorted()
    let bound = NIOLoopBound(self, eventLoop: loop)
    lookUps.namings(of: persons, on: loop).whenSuccess { namings in
      for person in persons { if let naming = namings[person] { bound.value.take(naming, of: person) } }
    }
  }

  private func take(_ naming: Users.Naming, of person: UInt32) {
    let accounts: [SignedInAccount]
    switch naming {
    case .named(let name): accounts = snapshot.accounts.signedIn(asUser: name)
    case .unknown: accounts = []
    case .unavailable: return
    }
    let time = journal.now()
    if let told = toldUsers[person], told.accounts == accounts, time < told.until { return }
    toldUsers[person] = ToldUser(accounts: accounts, until: time + toldMilliseconds)
    journal.state.note(time: time)
    let before = standings(of: [person])
    // A policy that gives a person more accounts than a person can have is mistaken, and signs nobody in.
    guard (try? engine.signedIn(accounts, by: .user, person: person, at: time)) != nil else { return }
    settleAccounts(before)
  }
}
