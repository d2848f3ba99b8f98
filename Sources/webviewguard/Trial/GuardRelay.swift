internal import JSONText

/// Stands between a program and the daemon, and gives each app, class and account the name that the policy has.
final class GuardRelay {
  static let app = "com.example.selftest"
  static let viewerClass = "any"
  static let account = "selftest@selftest.example"

  /// The daemon's socket.
  let target: String
  /// The questions that were passed on, by method.
  private(set) var questions: [String: Int] = [:]

  /// Told of each URL that the program asks about.
  var asked: (String) -> Void = { _ in }

  init(to target: String) { self.target = target }

  /// Passes on what came, in both directions; frames of the program with the policy's names.
  func pass(_ connection: TrialConnection, _ server: TrialServer?) {
    guard case .guardSocket = connection.door else {
      connection.partner?.output += connection.input
      connection.input = []
      return
    }
    if connection.partner == nil, let daemon = server?.connect(to: target) {
      (connection.partner, daemon.partner) = (daemon, connection)
    }
    guard let daemon = connection.partner else { return connection.isEnding = true }
    while let frame = connection.takeFrame() { daemon.output += renamed(frame) + [0] }
  }

  private func renamed(_ frame: [UInt8]) -> [UInt8] {
    guard let call = try? JSONTree(parsing: frame.span), let method = call["method"]?.string,
      case .object(let members) = call["parameters"] ?? .object([])
    else { return frame }
    let name = method.split(separator: ".").last.map(String.init) ?? method
    if call["parameters"]?["event"] != nil { questions[name, default: 0] += 1 }
    if let many = call["parameters"]?["questions"]?.array { questions[name, default: 0] += many.count }
    tellURLs(in: .object(members))
    let renamed = members.map { member in
      JSONTree.Member(member.key, Self.value(of: member, in: name))
    }
    return Array(call.replacing(with: ["parameters": .object(renamed)]).text().utf8)
  }

  /// Of one question, or of many in one call.
  private func tellURLs(in tree: JSONTree) {
    switch tree {
    case .array(let elements): for element in elements { tellURLs(in: element) }
    case .object(let members):
      for member in members {
        if member.key == "url", let url = member.value.string { asked(url) }
        tellURLs(in: member.value)
      }
    default: break
    }
  }

  private static func value(of member: JSONTree.Member, in method: String) -> JSONTree {
    switch (method, member.key) {
    case ("Attach", "app"): .null
    case ("RegisterViewer", "class"), ("ExportRules", "class"): member.value == .null ? .null : .string(viewerClass)
    case ("SetIdentity", "account"):
      member.value.string.map { $0.isEmpty ? member.value : .string(account) } ?? member.value
    case ("SetIdentity", "accounts"): .array([.string(account)])
    default: member.value
    }
  }
}
