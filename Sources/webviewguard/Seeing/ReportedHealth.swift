internal import GuardProtocol
internal import JSONText
internal import PolicyTools

/// A daemon's report of its health, in `Status` or in `Health`.
///
///     ReportedHealth(["health": "degraded", "problems": [["code": "logFailing", "text": "…"]]]).exitStatus    // 1
struct ReportedHealth {
  let level: HealthLevel
  /// In words, the gravest first.
  let problems: [String]

  /// A word that this program does not know counts as bad news.
  init(_ reply: JSONTree) {
    problems = (reply["problems"]?.array ?? []).compactMap { $0["text"]?.string }
    if let word = reply["health"]?.string {
      level = HealthLevel(rawValue: word) ?? .degraded
    } else if reply["state"]?.string != ServiceState.ok.rawValue {
      level = .failed
    } else {
      level = (reply["lastError"] ?? .null) == .null ? .ok : .degraded
    }
  }

  /// 0 when all is well, 1 when an administrator should look, 2 when it cannot decide.
  var exitStatus: Int32 { Int32(level.number) }

  /// `ok`, or the level and its reasons, in one line.
  var line: String { problems.isEmpty ? level.rawValue : level.rawValue + ": " + problems.joined(separator: "; ") }

  /// Rows for a table: the level, and each problem.
  var rows: [[String]] {
    [["health", level.rawValue]] + problems.flatMap { TextTable.wrapped("problem", $0) }
  }
}

extension TextTable {
  /// Rows of a name and a long text, which wraps below itself so the lines stay readable.
  static func wrapped(_ name: String, _ text: String, width: Int = 84) -> [[String]] {
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: true) {
      var line = ""
      for word in paragraph.split(separator: " ") {
        if !line.isEmpty, line.count + 1 + word.count > width {
          lines.append(line)
          line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
      }
      lines.append(line)
    }
    return lines.enumerated().map { [$0.offset == 0 ? name : "", $0.element] }
  }
}
