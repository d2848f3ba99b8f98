import GuardService
import TestSupport
import Testing

/// Who is served next, and who pays for what.
@Suite struct TurnLineTests {
  /// What waits: a piece of work that cannot be cut, by how much it is.
  private typealias Line = TurnLine<Int>

  /// A turn with the pieces that fit, and the last one whole.
  private static func serve(_ line: inout Line, _ length: Int = 4) -> (person: UInt32, used: Int)? {
    guard let turn = line.next(length) else { return nil }
    var used = 0
    while used < turn.length, let piece = turn.user.take() { used += piece }
    line.end(turn, used: used)
    return (turn.user.person, used)
  }

  private static func line(_ waiting: [(UInt32, [Int])]) -> Line {
    var line = Line()
    for (person, pieces) in waiting { for piece in pieces { line.add(piece, of: person) } }
    return line
  }

  /// Who is served, in order, as text: the person and how much was done.
  @Test(
    arguments: [
      ([(1, [1, 1, 1])], "1:3"),
      ([(1, [1, 1, 1, 1, 1, 1])], "1:4 1:2"),
      ([(1, [1, 1, 1, 1, 1, 1]), (2, [1])], "1:4 2:1 1:2"),
      ([(2, [1]), (1, [1, 1, 1, 1, 1])], "2:1 1:4 1:1"),
      // Nineteen at once: fifteen too many, which is three turns and most of a fourth.
      ([(1, [19, 1]), (2, [4, 4, 4, 4, 4, 4])], "1:19 2:4 2:4 2:4 2:4 1:1 2:4 2:4"),
      // Twenty: four turns.
      ([(1, [20, 1]), (2, [4, 4, 4, 4, 4, 4])], "1:20 2:4 2:4 2:4 2:4 2:4 1:1 2:4"),
      // Six: two of the next turn are gone.
      ([(1, [6, 1, 1, 1, 1]), (2, [4, 4, 4])], "1:6 2:4 1:2 2:4 1:2 2:4"),
      // While nobody else waits, nobody is wronged.
      ([(1, [500, 1, 1])], "1:500 1:2"),
      ([(1, [500, 1]), (2, [4])], "1:500 2:4 1:1"),
      // Who owes waits for each of the others.
      ([(1, [12, 1]), (2, [4, 4, 4]), (3, [4, 4, 4])], "1:12 2:4 3:4 2:4 3:4 2:4 3:4 1:1"),
      ([(1, [11, 1]), (2, [4, 4, 4]), (3, [4, 4, 4])], "1:11 2:4 3:4 2:4 3:4 1:1 2:4 3:4"),
      ([], ""),
    ] as [([(UInt32, [Int])], String)])
  func usersTakeTurnsAndPay(_ waiting: [(UInt32, [Int])], _ expected: String) {
    var line = Self.line(waiting)
    var served: [String] = []
    while let (person, used) = Self.serve(&line) { served.append("\(person):\(used)") }
    #expect(served.joined(separator: " ") == expected)
    #expect(line.isEmpty)
  }

  /// The attack: leave the line with a debt, and come back at once.
  @Test func aDebtOutlivesTheLine() {
    var line = Self.line([(1, [40]), (2, [4, 4, 4])])
    #expect(Self.serve(&line)?.person == 1)
    line.add(1, of: 1)
    line.forgetIdle()
    let served = [Self.serve(&line), Self.serve(&line), Self.serve(&line)].map { $0?.person }
    #expect(served == [2, 2, 2])
    #expect(Self.serve(&line)?.person == 1, "nobody else waits any more")
  }

  /// Whatever anybody has done, somebody who asks little waits for one piece and one turn of each of the others.
  @Test func nobodyWaitsForMoreThanATurnOfEach() {
    var random = SeededGenerator()
    for _ in 0..<300 {
      var line = Line()
      let others = UInt32(1 + random.below(6))
      let longest = 1 + random.below(60)
      for person in 1...others { for _ in 0..<40 { line.add(1 + random.below(longest), of: person) } }
      for _ in 0..<random.below(30) { _ = Self.serve(&line) }
      line.add(1, of: 0)
      var before: [UInt32: Int] = [:]
      while let (person, _) = Self.serve(&line), person != 0 { before[person, default: 0] += 1 }
      #expect(before.values.allSatisfy { $0 == 1 }, "\(random.note) \(before)")
    }
  }

  /// Over a long time users get alike, however they cut their work.
  @Test func workIsSharedAlike() {
    var random = SeededGenerator()
    var line = Line()
    var done: [UInt32: Int] = [:]
    let largest: [UInt32: Int] = [1: 1, 2: 9, 3: 60]
    for (person, piece) in largest.sorted(by: { $0.key < $1.key }) { line.add(piece, of: person) }
    for _ in 0..<20_000 {
      guard let (person, used) = Self.serve(&line), let piece = largest[person] else { break }
      done[person, default: 0] += used
      for _ in 0..<4 { line.add(1 + random.below(piece), of: person) }
    }
    let shares = done.values.sorted()
    #expect(shares.count == 3)
    #expect(shares[2] - shares[0] <= 4 * 60, "\(random.note) \(done)")
  }
}
