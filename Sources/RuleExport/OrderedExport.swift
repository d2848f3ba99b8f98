internal import GuardModel
internal import JSONText
package import URLRules

/// Rules for an engine that follows an order: the first rule that takes a request decides.
package struct OrderedExport: Sendable {
  /// Capabilities of the engine.
  package struct Engine: Sendable, Hashable {
    package let dialect: StaticDialect
    /// It compares hosts by itself, with their sub-domains.
    package let comparesHosts: Bool
    package let maximumRules: Int
    package let maximumExpressions: Int
    /// Maximum hosts in one rule.
    package let hostsPerRule: Int

    package static let webKit = Engine(
      dialect: .webKit, comparesHosts: false, maximumRules: 150_000, maximumExpressions: .max, hostsPerRule: 1)
    package static let declarativeNetRequest = Engine(
      dialect: .re2, comparesHosts: true, maximumRules: 30_000, maximumExpressions: 1_000, hostsPerRule: 5_000)

    /// Number of the engine's rules that one becomes: WebKit asks for the frame of documents only.
    package func size(of purposes: Purposes) -> Int {
      let documents = purposes.intersection([.page, .frame])
      return dialect == .webKit && purposes != documents && documents.rawValue.nonzeroBitCount == 1 ? 2 : 1
    }
  }

  /// A rule, which lets pass or blocks the requests that it takes.
  package struct Rule: Sendable, Hashable {
    package var isBlocked: Bool
    package var purposes: Purposes
    /// Hosts with their sub-domains, any of which must be the request's; empty: any host.
    package var hosts: [String]
    /// The required text in the URL; nil: any URL.
    package var expression: String?
    /// It speaks of WebSockets, where it speaks of resources.
    package var takesSockets: Bool
  }

  package private(set) var rules: [Rule] = []
  package private(set) var notes: [StaticNote] = []
  private let engine: Engine
  private var ruleCount = 0
  private var expressionCount = 0
  private var book: StaticNoteBook
  /// Since the last change between blocking and letting pass: where the rules are that have room for hosts.
  private var shared: [Rule: Int] = [:]

  package init(_ rules: StaticRules, for engine: Engine) {
    self.engine = engine
    book = StaticNoteBook(rules)
    let needed = Self.needed(rules.items)
    for (item, isNeeded) in zip(rules.items, needed) where isNeeded { add(item) }
    while let last = self.rules.last, !last.isBlocked { self.rules.removeLast() }
    notes = book.finish()
  }

  /// More pairs are not compared; then every exception counts as needed.
  private static let maximumPairs = 4_000_000

  /// An item that lets pass is needed where a later one may block.
  private static func needed(_ items: [StaticRules.Item]) -> [Bool] {
    guard items.count * items.count <= maximumPairs else { return items.map { _ in true } }
    return items.indices.map { index in
      let item = items[index]
      return item.isBlocked
        || items[index...].contains {
          $0.isBlocked && !$0.purposes.isDisjoint(with: item.purposes) && $0.term.intersects(item.term)
        }
    }
  }

  private mutating func add(_ item: StaticRules.Item) {
    var apart: [HostSet.Entry] = []
    var others: [HostSet.Entry] = []
    for entry in item.term.hosts.entries ?? [] {
      if engine.comparesHosts, !item.term.hostsAreImplied, entry.isComparable {
        apart.append(entry)
      } else {
        others.append(entry)
      }
    }
    var isSaid = false
    if !apart.isEmpty { isSaid = add(item, item.term.with(hosts: HostSet(apart)), hosts: apart.map(\.name)) }
    if item.term.hosts.entries == nil || item.term.hostsAreImplied {
      isSaid = add(item, item.term, hosts: [])
    } else {
      isSaid = add(item, others) || isSaid
    }
    if isSaid, item.isBlocked { book.say(item) }
  }

  /// Adds a rule for each of an item's hosts; those for which there is no room are left out together. False when nothing
  /// of it can be said.
  private mutating func add(_ item: StaticRules.Item, _ hosts: [HostSet.Entry]) -> Bool {
    var isSaid = false
    for (place, host) in hosts.enumerated() {
      guard hasRoom(for: item) else {
        leaveOut(item, item.term.with(hosts: HostSet(Array(hosts[place...]))), .limit)
        break
      }
      isSaid = add(item, item.term.with(hosts: HostSet([host])), hosts: []) || isSaid
    }
    return isSaid
  }

  /// Whether one more rule with an expression can be had.
  private func hasRoom(for item: StaticRules.Item) -> Bool {
    ruleCount + engine.size(of: item.purposes) <= engine.maximumRules && expressionCount < engine.maximumExpressions
  }

  private mutating func leaveOut(_ item: StaticRules.Item, _ term: StaticTerm, _ gap: StaticGap) {
    if item.isBlocked { book.omit(item, gap) } else { book.leaveOpen(item, term, gap) }
  }

  /// Adds a part of an item whose hosts are all compared by the engine, or none of them; false when nothing of it can
  /// be said.
  private mutating func add(_ item: StaticRules.Item, _ term: StaticTerm, hosts: [String]) -> Bool {
    let before = rules.count
    let wanted = StaticTerm.Wanted(
      dialect: engine.dialect, credentials: item.takesCredentials, passes: !item.isBlocked,
      sockets: item.purposes.contains(.resource), hostsApart: !hosts.isEmpty)
    do throws(StaticGap) {
      guard ruleCount < engine.maximumRules else { throw .limit }
      let isHostAlone = !hosts.isEmpty && item.takesCredentials && term.withoutHosts == StaticTerm()
      let expressions = isHostAlone ? [nil] : try term.expressions(wanted).map { Optional($0) }
      for expression in expressions {
        if hosts.isEmpty { try append(rule(item, expression)) } else { try append(rule(item, expression), hosts) }
      }
      return true
    } catch {
      leaveOut(item, term, error)
      return rules.count > before
    }
  }

  private mutating func rule(_ item: StaticRules.Item, _ expression: StaticExpression?) -> Rule {
    let takesSockets = expression?.takesSockets ?? true
    if item.isBlocked, item.purposes.contains(.resource), !takesSockets { book.missSockets(item) }
    return Rule(
      isBlocked: item.isBlocked, purposes: item.purposes, hosts: [], expression: expression?.text,
      takesSockets: takesSockets)
  }

  private mutating func append(_ rule: Rule) throws(StaticGap) {
    let size = engine.size(of: rule.purposes)
    let isExpression = rule.expression != nil
    guard ruleCount + size <= engine.maximumRules else { throw .limit }
    guard !isExpression || expressionCount < engine.maximumExpressions else { throw .limit }
    if rules.last?.isBlocked != rule.isBlocked { shared = [:] }
    ruleCount += size
    expressionCount += isExpression ? 1 : 0
    rules.append(rule)
  }

  /// Adds hosts to rules that say the same: among those that all block, or all let pass, the order means nothing.
  private mutating func append(_ rule: Rule, _ hosts: [String]) throws(StaticGap) {
    var rest = hosts[...]
    while !rest.isEmpty {
      if rules.last?.isBlocked != rule.isBlocked { shared = [:] }
      let place = shared[rule] ?? rules.count
      if place == rules.count { try append(rule) }
      let room = engine.hostsPerRule - rules[place].hosts.count
      rules[place].hosts += rest.prefix(room)
      shared[rule] = rest.count < room ? place : nil
      rest = rest.dropFirst(room)
    }
  }
}

extension HostSet.Entry {
  /// A host with all below it, or an address, which has nothing below it.
  fileprivate var isComparable: Bool {
    switch reach {
    case .below: true
    case .exactly: Self.isAddress(name)
    case .network: false
    }
  }
}

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
