internal import JSONText

/// One thing that `doctor` looked at: how it is, and what to do about it.
struct Finding: Hashable {
  enum Level: String, Hashable, CaseIterable {
    case ok
    /// It works, and may not for long, or is not as it should be.
    case warning
    /// It does not work, or not safely.
    case problem
  }

  var level: Level
  /// The part of the daemon: `configuration`, `log` …
  var area: String
  /// One line.
  var text: String
  /// What to do; nil when there is nothing to do.
  var remedy: String?

  static func ok(_ area: String, _ text: String) -> Finding { Finding(level: .ok, area: area, text: text) }

  static func warning(_ area: String, _ text: String, _ remedy: String) -> Finding {
    Finding(level: .warning, area: area, text: text, remedy: remedy)
  }

  static func problem(_ area: String, _ text: String, _ remedy: String) -> Finding {
    Finding(level: .problem, area: area, text: text, remedy: remedy)
  }

  var json: JSONTree {
    [
      "level": .string(level.rawValue), "area": .string(area), "text": .string(text),
      "remedy": remedy.map(JSONTree.string) ?? .null,
    ]
  }
}
