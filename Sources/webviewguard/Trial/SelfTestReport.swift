internal import JSONText

/// What came of a self-test: each way with its result at both hosts, and the questions that the program asked.
struct SelfTestReport {
  /// The worst first.
  enum Result: String, CaseIterable {
    case leaked = "LEAKED"
    /// It arrived, and the rules let it: a resource of a host that only the default calls external.
    case passes = "passes"
    case stopped
    /// The program does not go this way: it did not reach its own host either. Or it did not load the page that goes it to
    /// this host, since it had crashed, say.
    case notTried = "not tried"
  }

  struct Row {
    let way: SelfTestWay
    let external: Result
    let named: Result

    var isLeak: Bool { external == .leaked || named == .leaked }
    var isGone: Bool { external != .notTried && named != .notTried }
  }

  let program: [String]
  private(set) var rows: [Row] = []
  /// The questions of the program, by method.
  let questions: [String: Int]

  /// - Parameters:
  ///   - ways: those that were meant.
  ///   - isClosing: a rule closed every host but the own one, so that nothing passes.
  init(
    _ program: [String], _ ways: [SelfTestWay], _ site: SelfTestSite, questions: [String: Int], isClosing: Bool
  ) {
    (self.program, self.questions) = (program, questions)
    rows = ways.map { way in
      func result(_ host: SelfTestHost) -> Result {
        let trip = SelfTestTrip(way: way.name, host: host)
        if site.arrivals[trip] != nil {
          return host == .external && !way.kind.isStoppedByDefault && !isClosing ? .passes : .leaked
        }
        return site.isGone(way) && site.isTried(trip) ? .stopped : .notTried
      }
      return Row(way: way, external: result(.external), named: result(.named))
    }
  }

  var leaks: Int { rows.count(where: \.isLeak) }
  var isEmpty: Bool { rows.allSatisfy { $0.external == .notTried && $0.named == .notTried } }

  var summary: String {
    let tried = rows.count(where: \.isGone)
    return "\(tried) of \(rows.count) ways were gone, and \(leaks) leaked"
  }

  var asked: String {
    let named = questions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
    return named.isEmpty ? "it asked nothing" : "it asked: " + named.joined(separator: ", ")
  }

  var json: JSONTree {
    let rows = rows.map { row -> JSONTree in
      [
        "way": .string(row.way.name), "kind": .string(row.way.kind.rawValue),
        "external": .string(row.external.rawValue), "named": .string(row.named.rawValue),
      ]
    }
    return [
      "leaks": .int(Int64(leaks)), "ways": .array(rows),
      "questions": .object(questions.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, .int(Int64($0.value))) }),
    ]
  }

  /// Ways of one kind, of which one thing became.
  struct Group {
    let kind: SelfTestWay.Kind
    let external: Result
    let named: Result
    let ways: [String]
  }

  /// By kind, and the worst of each first.
  var groups: [Group] {
    SelfTestWay.Kind.allCases.flatMap { kind in
      Result.allCases.flatMap { named in
        Result.allCases.compactMap { external in
          let rows = rows.filter { $0.way.kind == kind && $0.external == external && $0.named == named }
          return rows.isEmpty ? nil : Group(kind: kind, external: external, named: named, ways: rows.map(\.way.name))
        }
      }
    }
  }

  /// Lines of a table for people: a long list of ways goes on in the next one.
  var cells: [[String]] {
    groups.flatMap { group in
      var lines = [""]
      for way in group.ways {
        if lines[lines.count - 1].count + way.count > 76 { lines.append("") }
        lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + way
      }
      return lines.enumerated().map { number, line in
        (number == 0 ? [group.kind.rawValue, group.external.rawValue, group.named.rawValue] : ["", "", ""]) + [line]
      }
    }
  }

  /// A page for a review: nothing in it is loaded from elsewhere.
  var html: String {
    let bodies = SelfTestWay.Kind.allCases.compactMap { kind in body(kind, rows.filter { $0.way.kind == kind }) }
    return """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>Self-test of a guarded program</title>
      <style>body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 45em; padding: 0 1em }
      table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3em .6em; border-bottom: 1px solid #8886 }
      tbody th { padding-top: 1.2em }
      .leaked { background: #b3261e; color: #fff; font-weight: bold } .stopped { color: #146c2e } .passes { color: #7a5900 }
      @media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #eee } .stopped { color: #7ddc96 } .passes { color: #f0c14b } }
      </style><h1>Self-test of a guarded program</h1>
      <p><code>\(Self.text(program.joined(separator: " ")))</code></p><p><strong>\(summary).</strong> \(Self.text(asked)).</p>
      <table><thead><tr><th>way<th>to an external host<th>to a host that a rule names</thead>
      \(bodies.joined(separator: "\n"))
      </table><p>“not tried”: nothing is known. The program does not go this way to its own host either, or it did not load the
      page in time. “passes”: only a rule that names the host
      stops resources.</p></html>

      """
  }

  /// The ways of a kind, under a heading with their counts.
  private func body(_ kind: SelfTestWay.Kind, _ rows: [Row]) -> String? {
    guard !rows.isEmpty else { return nil }
    let gone = rows.count(where: \.isGone)
    let counts = "\(gone) of \(rows.count) gone, \(rows.count(where: \.isLeak)) leaked"
    let lines = rows.map { "<tr><td>\($0.way.name)\(Self.cell($0.external))\(Self.cell($0.named))" }
    return "<tbody><tr><th colspan=\"3\">\(kind.plural): \(counts)\n\(lines.joined(separator: "\n"))</tbody>"
  }

  private static func cell(_ result: Result) -> String {
    let name = result.rawValue.lowercased().replacing(" ", with: "-")
    return "<td class=\"\(name)\">\(result.rawValue)"
  }

  private static func text(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
