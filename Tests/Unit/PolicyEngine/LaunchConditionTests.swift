import PolicyEngine
import Testing

/// One condition on one fact. Ledger CD-01.
struct LaunchConditionTests {
  private typealias Compared = (fact: FactValue, LaunchCondition.Comparison, value: FactValue, holds: Bool?)

  /// Nil is unknown: what cannot be compared neither holds nor fails.
  @Test func eachComparisonHasItsAnswer() {
    let table: [Compared] = [
      (.truth(true), .equals, .truth(true), true), (.truth(false), .equals, .truth(true), false),
      (.truth(false), .notEquals, .truth(true), true), (.truth(true), .atLeast, .truth(true), nil),
      (.number(5), .equals, .number(5), true), (.number(5), .notEquals, .number(5), false),
      (.number(5), .atLeast, .number(5), true), (.number(4.9), .atLeast, .number(5), false),
      (.number(5), .atMost, .number(5), true), (.number(5.1), .atMost, .number(5), false),
      (.number(5), .greater, .number(5), false), (.number(6), .greater, .number(5), true),
      (.number(5), .less, .number(5), false), (.number(-1), .less, .number(0), true),
      (.text("Debian"), .equals, .text("debian"), true), (.text("fedora"), .equals, .text("debian"), false),
      (.text("fedora"), .notEquals, .text("debian"), true), (.text("b"), .greater, .text("a"), nil),
      // Versions: parts are numbers, and missing ones count as 0.
      (.text("12.10"), .atLeast, .version([12, 4]), true), (.text("12.4"), .atLeast, .version([12, 10]), false),
      (.text("12"), .equals, .version([12, 0]), true), (.text("12.0.1"), .equals, .version([12]), false),
      (.text("6.1.0-13-amd64"), .atLeast, .version([6, 1]), true),
      (.text("6.1.0-13"), .greater, .version([6, 1]), false),
      (.text("1.2."), .equals, .version([1, 2]), true), (.number(12), .atLeast, .version([11, 9]), true),
      (.number(12.5), .less, .version([12, 6]), true), (.version([3]), .atMost, .version([3, 0, 0, 1]), true),
      // Scripts write truth and numbers as text.
      (.text("TRUE"), .equals, .truth(true), true), (.text("false"), .equals, .truth(true), false),
      (.text("yes"), .equals, .truth(true), nil), (.truth(true), .equals, .text("True"), true),
      (.truth(true), .equals, .text("yes"), nil), (.text("42"), .atLeast, .number(42), true),
      (.text("-1.5"), .less, .number(0), true), (.text("1e3"), .equals, .number(1000), true),
    ]
    for (fact, comparison, value, holds) in table {
      let condition = LaunchCondition("fact", comparison, value)
      #expect(condition.holds(for: fact) == holds, "\(fact) \(comparison) \(value)")
    }
  }

  /// What is no number compares with none. Comparisons with NaN are all false, so that it would be equal to everything.
  @Test(arguments: LaunchCondition.Comparison.allCases)
  func whatIsNoNumberIsUnknown(_ comparison: LaunchCondition.Comparison) {
    for text in ["nan", "NaN", "inf", "-infinity", "0x10", "", " 5", "5 ", "five", "1_000", "1e999"] {
      #expect(LaunchCondition("tries", comparison, .number(5)).holds(for: .text(text)) == nil, "\(text)")
    }
    for number in [Double.nan, .infinity] {
      #expect(LaunchCondition("tries", comparison, .number(5)).holds(for: .number(number)) == nil)
    }
    for fact: FactValue in [
      .text(""), .text("v12"), .text(".5"), .text("-1"), .text("٣.1"), .truth(true), .number(-1), .number(1e20),
      .number(0.000_01), .text("99999999999999999999"), .text("1.99999999999999999999"), .text("1.2.3.4.5.6.7.8.9"),
    ] {
      #expect(LaunchCondition("osVersion", comparison, .version([1])).holds(for: fact) == nil, "\(fact)")
    }
    for fact: FactValue in [.truth(true), .version([5])] {
      #expect(LaunchCondition("tries", comparison, .number(5)).holds(for: fact) == nil, "\(fact)")
    }
  }

  /// `equals` and `notEquals` contradict each other wherever something is known, and so do the orders.
  @Test func oppositesContradictEachOther() {
    let facts: [FactValue] = [
      .truth(true), .truth(false), .number(0), .number(5), .number(1e300), .text(""), .text("5"), .text("12.4-x"),
      .text("debian"), .version([5]), .version([12, 4]),
    ]
    for fact in facts {
      for value in facts {
        for (one, other) in [(.equals, .notEquals), (.atLeast, .less), (.atMost, .greater)]
          as [(LaunchCondition.Comparison, LaunchCondition.Comparison)]
        {
          let first = LaunchCondition("a", one, value).holds(for: fact)
          let second = LaunchCondition("a", other, value).holds(for: fact)
          #expect(first.map { !$0 } == second, "\(fact) \(one) \(value)")
        }
      }
    }
  }

  @Test func aFactHasAShortPlainName() {
    for name in ["a", "DiskEncrypted", "a.b-c_9", String(repeating: "x", count: 64)] {
      #expect(LaunchCondition.isFactName(name))
    }
    for name in ["", "a b", "a\nb", "ä", "a/b", String(repeating: "x", count: 65)] {
      #expect(!LaunchCondition.isFactName(name))
    }
  }
}
