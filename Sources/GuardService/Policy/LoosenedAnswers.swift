package import GuardProtocol
internal import PolicyEngine

/// How many of the answers that were judged another policy loosens, with no user counted for more than an ordinary one.
///
///     var answers = LoosenedAnswers()
///     answers.count(of: 1000, isLoosened: true)
///     answers.loosened    // 1
///
/// The attack: a user invents hundreds of questions, so that a policy which changes them is refused for their number. So
/// the number of a user's questions is scaled to the median of all users: who asked more counts as if he had asked that many.
/// A policy that is stricter is never refused, whoever asked whatever.
package struct LoosenedAnswers: Sendable {
  private struct Tally {
    var judged = 0
    var loosened = 0
  }

  private var users: [UInt32: Tally] = [:]

  package init() {}

  /// Counts an event of a user that was judged.
  package mutating func count(of person: UInt32, isLoosened: Bool) {
    users[person, default: Tally()].judged += 1
    if isLoosened { users[person, default: Tally()].loosened += 1 }
  }

  /// How many were judged.
  package var judged: Int { users.values.reduce(0) { $0 + min(ordinary, $1.judged) } }

  /// How many are looser; of a part of an answer the whole.
  package var loosened: Int {
    let ordinary = ordinary
    return users.values.reduce(0) { sum, user in
      sum + (user.loosened * min(ordinary, user.judged) + user.judged - 1) / user.judged
    }
  }

  /// What an ordinary user asked: as many as half of the users, or fewer.
  private var ordinary: Int {
    let counts = users.values.map(\.judged).sorted()
    return counts.isEmpty ? 0 : counts[(counts.count - 1) / 2]
  }
}

extension PolicyAnswer {
  /// Whether it lets more happen than the other: a weaker outcome, a program that keeps less, or a duty that is gone.
  package func isLooser(than other: PolicyAnswer) -> Bool {
    guard outcome == other.outcome else { return other.outcome.isStricter(than: outcome) }
    if Self.keeps(other.target), !Self.keeps(target) { return true }
    return !Set(other.duties).isSubset(of: duties)
  }

  /// What leaves for a managed program, or for none, stays managed.
  private static func keeps(_ target: String?) -> Bool {
    target.map { ["managedBrowser", "managedLink"].contains($0) } ?? true
  }
}
