import GuardModel
import GuardProtocol
import GuardService
import TestSupport
import Testing

/// What a limit on changes counts.
@Suite struct LoosenedAnswersTests {
  /// Users with so many events that were judged, and so many of them loosened.
  @Test(
    arguments: [
      ([], 0, 0), ([(3, 1)], 3, 1), ([(200, 200)], 200, 200), ([(200, 0)], 200, 0),
      // Who asked more than half of the users counts as if he had asked as many as they.
      ([(10, 0), (10, 0), (200, 200)], 30, 10), ([(10, 1), (10, 1), (200, 0)], 30, 2),
      ([(10, 10), (10, 10), (200, 0)], 30, 20), ([(1, 0), (200, 200)], 2, 1), ([(5, 5), (7, 7), (9, 9)], 19, 19),
      // Of a part the whole.
      ([(10, 0), (10, 0), (1000, 1)], 30, 1),
    ] as [([(Int, Int)], Int, Int)])
  func usersCountAlike(_ users: [(Int, Int)], _ judged: Int, _ loosened: Int) {
    var answers = LoosenedAnswers()
    for (person, user) in users.enumerated() {
      for event in 0..<user.0 { answers.count(of: UInt32(person), isLoosened: event < user.1) }
    }
    #expect((answers.judged, answers.loosened) == (judged, loosened))
  }

  /// One user among several moves the result by no more than an ordinary user's events, whatever it asks.
  @Test func nobodyOutweighsTheOthers() {
    var random = SeededGenerator()
    for _ in 0..<300 {
      var answers = LoosenedAnswers()
      let others = 2 + random.below(8)
      let most = 1 + random.below(30)
      for person in 1...others {
        for _ in 0..<(1 + random.below(most)) { answers.count(of: UInt32(person), isLoosened: false) }
      }
      for _ in 0..<random.below(2000) { answers.count(of: 0, isLoosened: true) }
      #expect(answers.loosened <= most && answers.loosened <= answers.judged, "\(random.note)")
    }
  }

  @Test(
    arguments: [
      ("allow", "block", false), ("block", "allow", true), ("warn", "allow", true), ("allow", "warn", false),
      ("redirect managedBrowser", "allow", true), ("redirect managedBrowser", "block", false),
      ("redirect managedBrowser", "redirect unmanagedBrowser", true),
      ("redirect unmanagedBrowser", "redirect managedBrowser", false), ("block", "redirect managedBrowser", true),
      ("allow +mustEncrypt", "allow", true), ("allow", "allow +mustEncrypt", false),
      ("allow +tagAs", "allow +mustEncrypt", true), ("allow", "allow", false), ("block", "block", false),
    ])
  func looserIsWhatLetsMoreHappen(_ before: String, _ after: String, _ isLooser: Bool) throws {
    #expect(try Self.answer(after).isLooser(than: Self.answer(before)) == isLooser)
  }

  /// An outcome, a target, and duties behind a plus.
  private static func answer(_ text: String) throws -> PolicyAnswer {
    var answer = PolicyAnswer()
    for (index, word) in text.split(separator: " ").map(String.init).enumerated() {
      if index == 0 {
        answer.outcome = try #require(Outcome.allCases.first { $0.name == word })
      } else if word.hasPrefix("+") {
        answer.duties.append(String(word.dropFirst()))
      } else {
        answer.target = word
      }
    }
    return answer
  }
}
