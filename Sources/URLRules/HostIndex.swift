internal import URLStandard

/// Rule numbers by host: one probe for each label of the host that is asked about.
struct HostIndex: Sendable {
  private var table = ByteTable<[Int32]>()

  /// Files a rule under a host; rules come in ascending order.
  mutating func add(_ rule: Int32, under host: [UInt8]) {
    var list = table.value(for: host.span) ?? []
    if list.last != rule { list.append(rule) }
    table.set(list, for: host.span)
  }

  /// Calls `body` with the rules under the record's host and under each of its parents:
  /// `a.b.example`, `b.example`, `example`.
  func forEachList(matching record: borrowing URLRecord, _ body: (_ rules: [Int32]) -> Void) {
    guard table.count > 0 else { return }
    let host = record.hostBytes
    if let list = table.value(for: host) { body(list) }
    guard record.hostKind == .domain else { return }
    for index in host.indices where host[index] == UInt8(ascii: ".") {
      if let list = table.value(for: host.extracting((index + 1)...)) { body(list) }
    }
  }
}

extension Condition {
  /// Hosts without which the condition is certainly false; nil when other hosts may fulfil it.
  ///
  ///     domain: contoso.com, scheme: https     ->  contoso.com
  ///     any of host a.example, host b.example  ->  a.example, b.example
  ///     not domain: contoso.com                ->  nil
  var hosts: [[UInt8]]? {
    switch self {
    case .domain(let name), .host(let name): [name]
    case .all(let parts): parts.lazy.compactMap(\.hosts).min { $0.count < $1.count }
    case .any(let parts): Self.union(parts.map(\.hosts))
    case .url(let href): Self.host(ofWebURL: href)
    case .not, .scheme, .port, .regex, .same, .from, .hop: nil
    }
  }

  private static func union(_ lists: [[[UInt8]]?]) -> [[UInt8]]? {
    var all: [[UInt8]] = []
    for list in lists {
      guard let list else { return nil }
      all += list
    }
    return all
  }

  private static func host(ofWebURL href: [UInt8]) -> [[UInt8]]? {
    var record = URLRecord()
    guard record.parse(href.span) == .valid, record.isWeb else { return nil }
    return [Array(record.bytes[record.hostRange])]
  }
}
