internal import GuardModel
internal import PolicyFiles

/// What `webviewguard.yaml` says: every field of the daemon's settings, found by looking at the type, under the key that a
/// file gives it. A new setting is compared the day it exists.
enum DaemonFacts {
  static func thing(_ settings: DaemonSettings, _ places: PolicyPlaces, root: String) -> ComparedThing {
    var facts = FactWriter(places, [])
    add(settings, below: [], to: &facts)
    return ComparedThing(kind: "daemon", name: "", place: root, facts: facts.facts)
  }

  /// Fields that a file calls otherwise.
  private static let keys = ["startMilliseconds": "startMs", "answerMilliseconds": "answerMs"]

  /// The settings of which it can be said which value is stricter, the loosest first.
  private static let words: [String: [String]] = [
    "policyRequired": ["false", "true"], "log.onLogFailure": ["continue", "block"],
    "contract.navigation": ["open", "closed"], "contract.clipboard": ["open", "closed"],
    "contract.other": ["open", "closed"],
  ]

  private static func add(_ value: Any, below path: [String], to facts: inout FactWriter) {
    for child in Mirror(reflecting: value).children {
      guard let label = child.label else { continue }
      let path = path + [keys[label] ?? label]
      if let sockets = child.value as? [DaemonSettings.AppSocket] {
        for socket in sockets { add(socket, below: path, to: &facts) }
      } else if Mirror(reflecting: child.value).displayStyle == .struct {
        add(child.value, below: path, to: &facts)
      } else {
        write(child.value, path, &facts)
      }
    }
  }

  private static func add(_ socket: DaemonSettings.AppSocket, below path: [String], to facts: inout FactWriter) {
    for child in Mirror(reflecting: socket).children {
      guard let label = child.label, label != "name" else { continue }
      facts.add(
        path + [socket.name, label], text(child.value),
        rank: label == "open" ? (child.value as? Bool == true ? 0 : 1) : nil)
    }
  }

  private static func write(_ value: Any, _ path: [String], _ facts: inout FactWriter) {
    let text = text(value)
    facts.add(path, text, rank: words[path.joined(separator: ".")]?.firstIndex(of: text))
  }

  /// A value as it would be written.
  private static func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.map { text($0.value) } ?? "not set" }
    if let word = value as? any RawRepresentable { return "\(word.rawValue)" }
    return "\(value)"
  }
}
