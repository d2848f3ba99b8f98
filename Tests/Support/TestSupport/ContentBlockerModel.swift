internal import GuardModel
internal import JSONText
internal import URLRules
internal import URLStandard

/// WebKit's content blockers: every rule is looked at in its order, `ignore-previous-rules` takes back what came before.
///
/// Source: WebKit, Source/WebCore/contentextensions; checked with WebKitGTK 2.50.
package struct ContentBlockerModel: EngineModel {
  fileprivate struct Rule {
    var filter: Regex
    var types: Set<String>
    var contexts: Set<String>
    var action: String
  }

  private let rules: [Rule]

  package init(_ document: [UInt8]) throws {
    guard case .array(let elements) = try JSONTree(parsing: String(decoding: document, as: UTF8.self)) else {
      throw EngineModelError("no array")
    }
    rules = try elements.map { element in
      guard let trigger = element["trigger"], let filter = trigger["url-filter"]?.string,
        let action = element["action"]?["type"]?.string, ["block", "ignore-previous-rules"].contains(action)
      else { throw EngineModelError("no rule: \(element.text())") }
      guard trigger["url-filter-is-case-sensitive"] == .bool(true) else {
        throw EngineModelError("case does not count")
      }
      try Self.check(filter)
      return Rule(
        filter: try Regex(filter), types: trigger.words("resource-type"), contexts: trigger.words("load-context"),
        action: action)
    }
  }

  /// What WebKit's parser refuses.
  private static func check(_ filter: String) throws {
    var isEscaped = false
    var isClass = false
    for (place, character) in filter.enumerated() {
      let isLast = place == filter.count - 1
      if isEscaped {
        if character.isLetter || character.isNumber { throw EngineModelError("class or back-reference in \(filter)") }
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if isClass {
        isClass = character != "]"
      } else if character == "[" {
        isClass = true
      } else if "|{}".contains(character) || character == "^" && place > 0 || character == "$" && !isLast {
        throw EngineModelError("`\(character)` in \(filter)")
      }
    }
    if filter.contains("(?") { throw EngineModelError("a special group in \(filter)") }
  }

  package func blocks(_ request: EngineRequest) -> Bool {
    let runner = RegexRunner()
    var blocks = false
    for rule in rules where rule.takes(request) {
      runner.beginDecision(subjectBytes: request.url.bytes.count)
      if rule.filter.matches(request.url.bytes.span, runner) == .yes { blocks = rule.action == "block" }
    }
    return blocks
  }
}

extension ContentBlockerModel.Rule {
  fileprivate func takes(_ request: EngineRequest) -> Bool {
    switch request.kind {
    case .page: types.contains("document") && (contexts.isEmpty || contexts.contains("top-frame"))
    case .frame: types.contains("document") && (contexts.isEmpty || contexts.contains("child-frame"))
    case .image: types.contains("image")
    case .socket: types.contains("raw") || types.contains("websocket")
    }
  }
}

extension JSONTree {
  /// The strings of an array under a key.
  func words(_ key: String) -> Set<String> { Set(list(key)) }

  func list(_ key: String) -> [String] {
    guard case .array(let elements) = self[key] else { return [] }
    return elements.compactMap(\.string)
  }
}
