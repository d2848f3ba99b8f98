internal import JSONText

/// The result of one check of `doctor`: its state, and the remedy.
struct Finding: Hashable {
  enum Level: String, Hashable, CaseIterable {
    case ok
    /// It works, but perhaps not for long, or not as it should.
    case warning
    /// It does not work, or not safely.
    case problem
  }

  var level: Level
  /// The part of the daemon: `configuration`, `log` …
  var area: String
  /// One line.
  var text: String
  /// The remedy; nil when none is needed.
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
