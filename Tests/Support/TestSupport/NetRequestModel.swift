internal import GuardModel
internal import JSONText
internal import URLRules
internal import URLStandard

/// `declarativeNetRequest`: of the rules that match those of the highest priority, and of these `allow` before `block`.
///
/// Source: https://developer.chrome.com/docs/extensions/reference/api/declarativeNetRequest; checked with Chromium 156.
package struct NetRequestModel: EngineModel {
  fileprivate struct Rule {
    var priority: Int64
    var isBlocked: Bool
    var domains: [String]
    var filter: Regex?
    var types: Set<String>
  }

  private let rules: [Rule]

  package init(_ document: [UInt8]) throws {
    guard case .array(let elements) = try JSONTree(parsing: String(decoding: document, as: UTF8.self)) else {
      throw EngineModelError("no array")
    }
    var ids: Set<Int64> = []
    rules = try elements.map { element in
      guard case .int(let id) = element["id"], id > 0, ids.insert(id).inserted,
        case .int(let priority) = element["priority"],
        priority > 0, let condition = element["condition"], let action = element["action"]?["type"]?.string
      else { throw EngineModelError("no rule: \(element.text())") }
      let filter = condition["regexFilter"]?.string
      guard filter == nil || condition["isUrlFilterCaseSensitive"] == .bool(true), condition["urlFilter"] == nil else {
        throw EngineModelError("another filter: \(element.text())")
      }
      return Rule(
        priority: priority, isBlocked: action == "block", domains: condition.list("requestDomains"),
        filter: try filter.map { try Regex($0) }, types: condition.words("resourceTypes"))
    }
  }

  package func blocks(_ request: EngineRequest) -> Bool {
    let matching = rules.filter { $0.takes(request) }
    guard let highest = matching.map(\.priority).max() else { return false }
    return matching.allSatisfy { $0.priority < highest || $0.isBlocked }
  }
}

extension NetRequestModel.Rule {
  fileprivate func takes(_ request: EngineRequest) -> Bool {
    let type =
      switch request.kind {
      case .page: "main_frame"
      case .frame: "sub_frame"
      case .image: "image"
      case .socket: "websocket"
      }
    guard types.contains(type) else { return false }
    let isName = request.url.hostKind == .domain
    guard
      domains.isEmpty
        || domains.contains(where: { request.host == $0 || isName && request.host.hasSuffix("." + $0) })
    else { return false }
    guard let filter else { return true }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: request.url.bytes.count)
    return filter.matches(request.url.bytes.span, runner) == .yes
  }
}
