internal import NIOCore

/// Who is served next: users take turns, and whoever took more than a turn pays for it in later ones.
///
///     var line = TurnLine<String>()
///     line.add("a batch", of: 1000)
///     line.add("a question", of: 1001)
///     let turn = line.next(4)          // 1000 may have 4 units of work done
///     line.end(turn, used: 20)         // 16 too many: 1000 is left out four times, while 1001 waits
///
/// Work is counted in questions; see `GuardCore.charge`. A piece of work that cannot be cut may take longer than its turn.
/// What it took too much is a debt, which the user pays while others wait. While nobody waits nobody is wronged, and the
/// debt is forgiven.
package struct TurnLine<Waiting> {
  /// A user in the line, or one that has a debt.
  package final class User {
    package let person: UInt32
    @exclusivity(unchecked) fileprivate var waiting = CircularBuffer<Waiting>(initialCapacity: 8)
    @exclusivity(unchecked) fileprivate var isInLine = false
    @exclusivity(unchecked) package fileprivate(set) var debt = 0

    fileprivate init(_ person: UInt32) { self.person = person }

    /// What waits longest; it waits no more.
    package func take() -> Waiting? { waiting.popFirst() }

    /// Has something wait before all else of this user.
    package func putFirst(_ first: Waiting) { waiting.prepend(first) }

    /// Has something wait behind all else of this user.
    package func putLast(_ last: Waiting) { waiting.append(last) }
  }

  /// A user whose turn it is.
  package struct Turn {
    package let user: User
    /// How much work may be done for it.
    package let length: Int
  }

  private var users: [UInt32: User] = [:]
  private var line = CircularBuffer<User>(initialCapacity: 16)

  package init() {}

  package var isEmpty: Bool { line.isEmpty }

  /// Puts something behind all else of its user, and the user behind all others.
  package mutating func add(_ waiting: Waiting, of person: UInt32) {
    let user = users[person] ?? User(person)
    users[person] = user
    user.putLast(waiting)
    enter(user)
  }

  /// The user whose turn of so much work it is; nil when nobody waits.
  package mutating func next(_ length: Int) -> Turn? {
    while let user = line.popFirst() {
      user.isInLine = false
      if line.isEmpty { user.debt = 0 }
      guard user.debt >= length else {
        defer { user.debt = 0 }
        return Turn(user: user, length: length - user.debt)
      }
      user.debt -= length
      enter(user)
    }
    return nil
  }

  /// Ends a turn in which so much work was done; the user goes to the end of the line when more of it waits.
  package mutating func end(_ turn: Turn, used: Int) {
    turn.user.debt = max(0, used - turn.length)
    if !turn.user.waiting.isEmpty { enter(turn.user) }
  }

  /// Forgets the users for whom nothing waits and who owe nothing.
  package mutating func forgetIdle() { users = users.filter { $1.isInLine || $1.debt > 0 || !$1.waiting.isEmpty } }

  private mutating func enter(_ user: User) {
    guard !user.isInLine else { return }
    user.isInLine = true
    line.append(user)
  }
}
