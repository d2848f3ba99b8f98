internal import JSONText
internal import URLRules

// WebKit's content blockers.
extension JSONWriter {
  /// Resources that a page loads by itself, apart from WebSockets; `raw` is everything that has no type of its own.
  private static var webKitResources: [StaticString] {
    ["image", "style-sheet", "script", "font", "raw", "svg-document", "media", "ping"]
  }

  /// Everything that has no type of its own but WebSockets.
  private static var webKitResourcesWithoutSockets: [StaticString] {
    ["image", "style-sheet", "script", "font", "fetch", "other", "svg-document", "media", "ping"]
  }

  /// Writes the rules so that the last that takes a request decides; returns how many there are.
  mutating func write(webKit rules: [OrderedExport.Rule]) -> Int {
    var count = 0
    beginArray()
    for rule in rules.reversed() {
      let documents = rule.purposes.intersection([.page, .frame])
      let resources = rule.takesSockets ? Self.webKitResources : Self.webKitResourcesWithoutSockets
      if rule.purposes == .navigated {
        write(webKit: rule, types: ["document"] + resources)
        count += 1
        continue
      }
      if !documents.isEmpty {
        write(webKit: rule, types: ["document"], context: Self.context(of: documents))
        count += 1
      }
      if rule.purposes.contains(.resource) {
        write(webKit: rule, types: resources)
        count += 1
      }
    }
    endArray()
    return count
  }

  /// The frame of a document; nil for any.
  private static func context(of documents: Purposes) -> StaticString? {
    documents == .page ? "top-frame" : documents == .frame ? "child-frame" : nil
  }

  private mutating func write(webKit rule: OrderedExport.Rule, types: [StaticString], context: StaticString? = nil) {
    beginObject()
    key("trigger")
    beginObject()
    member("url-filter", rule.expression ?? ".*")
    member("url-filter-is-case-sensitive", true)
    write("resource-type", types)
    if let context { write("load-context", [context]) }
    endObject()
    key("action")
    beginObject()
    member("type", rule.isBlocked ? "block" as StaticString : "ignore-previous-rules")
    endObject()
    endObject()
  }

  fileprivate mutating func write(_ name: StaticString, _ words: [StaticString]) {
    key(name)
    beginArray()
    for word in words { value(word) }
    endArray()
  }
}

// Chromium's and Firefox's `declarativeNetRequest`.
extension JSONWriter {
  private static var requestResources: [StaticString] {
    ["stylesheet", "script", "image", "font", "object", "xmlhttprequest", "ping", "csp_report", "media", "other"]
  }

  /// Writes the rules, the first with the highest priority; returns how many there are.
  mutating func write(declarativeNetRequest rules: [OrderedExport.Rule]) -> Int {
    var priority = 1
    for (one, other) in zip(rules, rules.dropFirst()) where one.isBlocked != other.isBlocked { priority += 1 }
    beginArray()
    for (index, rule) in rules.enumerated() {
      if index > 0, rules[index - 1].isBlocked != rule.isBlocked { priority -= 1 }
      write(rule, id: index + 1, priority: priority)
    }
    endArray()
    return rules.count
  }

  private mutating func write(_ rule: OrderedExport.Rule, id: Int, priority: Int) {
    beginObject()
    member("id", id)
    member("priority", priority)
    key("action")
    beginObject()
    member("type", rule.isBlocked ? "block" as StaticString : "allow")
    endObject()
    key("condition")
    beginObject()
    if !rule.hosts.isEmpty {
      key("requestDomains")
      beginArray()
      for host in rule.hosts { value(host) }
      endArray()
    }
    if let expression = rule.expression {
      member("regexFilter", expression)
      member("isUrlFilterCaseSensitive", true)
    }
    write("resourceTypes", types(of: rule))
    endObject()
    endObject()
  }

  private func types(of rule: OrderedExport.Rule) -> [StaticString] {
    var types: [StaticString] = []
    if rule.purposes.contains(.page) { types.append("main_frame") }
    if rule.purposes.contains(.frame) { types.append("sub_frame") }
    guard rule.purposes.contains(.resource) else { return types }
    return types + Self.requestResources + (rule.takesSockets ? ["websocket"] : [])
  }
}
