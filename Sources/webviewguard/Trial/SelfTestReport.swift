internal import JSONText

/// What came of a self-test: each way with its result at both hosts, and the questions that the program asked.
struct SelfTestReport {
  enum Result: String {
    /// The program does not go this way: it did not reach its own host either. Or it did not load the page that goes it to
    /// this host, since it had crashed, say.
    case notTried = "not tried"
    case stopped
    /// It arrived, and the rules let it: a resource of a host that only the default calls external.
    case passes = "passes"
    case leaked = "LEAKED"
  }

  struct Row {
    let way: SelfTestWay
    let external: Result
    let named: Result
  }

  let program: [String]
  private(set) var rows: [Row] = []
  /// The questions of the program, by method.
  let questions: [String: Int]

  /// - Parameter isClosing: a rule closed every host but the own one, so that nothing passes.
  init(_ program: [String], _ site: SelfTestSite, questions: [String: Int], isClosing: Bool) {
    (self.program, self.questions) = (program, questions)
    rows = SelfTestWay.all.map { way in
      func result(_ host: SelfTestHost) -> Result {
        if site.arrivals.contains(.init(way: way.name, host: host)) {
          return host == .external && !way.kind.isStoppedByDefault && !isClosing ? .passes : .leaked
        }
        return Self.isTried(way, at: host, site) ? .stopped : .notTried
      }
      return Row(way: way, external: result(.external), named: result(.named))
    }
  }

  /// Whether the program, which goes this way to its own host, had a chance to go it to another.
  private static func isTried(_ way: SelfTestWay, at host: SelfTestHost, _ site: SelfTestSite) -> Bool {
    let isGone = site.arrivals.contains(.init(way: way.name, host: .own))
    let isLoaded = site.loads.contains(.init(way: way.name, host: host))
    // A page that stays tells when it is done, where scripts run at all.
    let isDone = !way.stays || !site.finished.contains(.own) || site.finished.contains(host)
    return isGone && isLoaded && isDone
  }

  var leaks: Int { rows.count { $0.external == .leaked || $0.named == .leaked } }
  var isEmpty: Bool { rows.allSatisfy { $0.external == .notTried && $0.named == .notTried } }

  var summary: String {
    let tried = rows.count { $0.external != .notTried && $0.named != .notTried }
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

  /// A page for a review: nothing in it is loaded from elsewhere.
  var html: String {
    let rows = rows.map { row in
      "<tr><td>\(row.way.kind.rawValue)<td>\(row.way.name)\(Self.cell(row.external))\(Self.cell(row.named))"
    }
    return """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>Self-test of a guarded program</title>
      <style>body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 45em; padding: 0 1em }
      table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3em .6em; border-bottom: 1px solid #8886 }
      .leaked { background: #b3261e; color: #fff; font-weight: bold } .stopped { color: #146c2e } .passes { color: #7a5900 }
      @media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #eee } .stopped { color: #7ddc96 } .passes { color: #f0c14b } }
      </style><h1>Self-test of a guarded program</h1>
      <p><code>\(Self.text(program.joined(separator: " ")))</code></p><p><strong>\(summary).</strong> \(Self.text(asked)).</p>
      <table><tr><th>kind<th>way<th>to an external host<th>to a host that a rule names
      \(rows.joined(separator: "\n"))
      </table><p>“not tried”: nothing is known. The program does not go this way to its own host either, or it did not load the
      page in time. “passes”: only a rule that names the host
      stops resources.</p></html>

      """
  }

  private static func cell(_ result: Result) -> String {
    let name = result.rawValue.lowercased().replacing(" ", with: "-")
    return "<td class=\"\(name)\">\(result.rawValue)"
  }

  private static func text(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
