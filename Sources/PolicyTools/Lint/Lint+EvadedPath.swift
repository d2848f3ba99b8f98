internal import PolicyFiles
internal import URLRules

extension Lint {
  /// An external rule for a path, below a host that is internal otherwise, which another spelling of the path passes by.
  ///
  /// Each spelling is one that many servers take for the same page.
  static let evadedPath = Lint(
    .evadedPath,
    eachRule: { linted, rules in
      guard !linted.isInternal, linted.rule.condition.namesPath else { return [] }
      for question in linted.questions where rules.decides(linted, question) {
        guard let parts = question.webParts else { continue }
        let ways = PathSpelling.allCases.compactMap { spelling -> (PathSpelling, Witness)? in
          guard let path = spelling.path(parts.path, query: parts.query), let other = question.with(path: path) else {
            return nil
          }
          return rules.internalWitness(other).map { (spelling, $0) }
        }
        guard let first = ways.first else { continue }
        let words = ways.map { $0.0.rawValue }.joined(separator: ", ")
        return [
          rules.finding(
            .evadedPath, linted, "is passed by with \(words)",
            hint: "make an exception of a host, which has one spelling only; or call internal what is known to be",
            first.1)
        ]
      }
      return []
    })
}

/// Another way to write a path.
private enum PathSpelling: String, CaseIterable {
  case encoded = "an encoded letter"
  case doubledSlash = "a doubled slash"
  case encodedStep = "`/x/..%2F`"
  case upperCase = "another case"
  case slash = "a slash at the end"
  case parameter = "`;x`"
  case query = "a query"

  /// The path in this spelling, to stand before the query; nil when it has none.
  func path(_ path: String, query: String) -> String? {
    switch self {
    case .encoded:
      guard let place = path.utf8.lastIndex(where: Self.isLetter) else { return nil }
      let byte = String(path.utf8[place], radix: 16, uppercase: true)
      return path[..<place] + "%\(byte)" + path[path.utf8.index(after: place)...]
    case .doubledSlash:
      guard path.utf8.count > 1, let place = path.dropLast().lastIndex(of: "/") else { return nil }
      return path[..<place] + "/" + path[place...]
    case .encodedStep: return path.utf8.count > 1 ? "/x/..%2F" + path.dropFirst() : nil
    case .upperCase:
      guard let place = path.utf8.lastIndex(where: Self.isLetter) else { return nil }
      let letter = String(decoding: [path.utf8[place] ^ 0x20], as: UTF8.self)
      return path[..<place] + letter + path[path.utf8.index(after: place)...]
    case .slash: return path.hasSuffix("/") ? nil : path + "/"
    case .parameter: return path + ";x"
    case .query: return query.isEmpty ? path + "?x" : nil
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

extension Condition {
  /// Some matcher in it looks at more than the host.
  fileprivate var namesPath: Bool {
    positiveMatchers.contains { matcher in
      switch matcher {
      case .url, .regex, .pattern, .filter: true
      default: false
      }
    }
  }
}
