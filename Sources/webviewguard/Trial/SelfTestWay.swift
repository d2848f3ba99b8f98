internal import CTrial
internal import JSONText

/// One way by which a page may reach another host. The list is ways.json, which the rig of our own browsers reads as well.
struct SelfTestWay: Hashable {
  enum Kind: String, CaseIterable {
    case page, form, frame, resource, download

    /// The default verdict `external` stops it; of resources only a rule that names the host does.
    var isStoppedByDefault: Bool { self != .resource }
    /// Its page stays, so that all of these are gone at once.
    var stays: Bool { self == .frame || self == .resource }
    var plural: String { rawValue + "s" }
  }

  let name: String
  let kind: Kind
  /// What its page has; `{url}` is the target, `{quoted}` the same for a query.
  let html: String
  /// A script that goes it; `u` is the target.
  let act: String
  /// How the element `go` is clicked where there is no script: `click`, `middle`, or nothing.
  let trigger: String
  /// The type of what lies at its end.
  let serves: String
  /// Headers of its page.
  let headers: [String: String]

  /// It is gone in a page with others.
  var isShared: Bool { kind.stays && headers.isEmpty }

  static let all: [SelfTestWay] = (listed["ways"]?.array ?? []).compactMap(SelfTestWay.init)
  /// Functions for the scripts of ways.
  static let tools = lines("tools")
  static let serviceWorker = lines("serviceWorker")

  private static let listed: JSONTree = {
    let file = ctrial_ways()
    let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    return (try? JSONTree(parsing: bytes.span)) ?? .null
  }()

  private static func lines(_ member: String) -> String {
    (listed[member]?.array ?? []).compactMap(\.string).joined(separator: "\n")
  }

  private init?(_ listed: JSONTree) {
    guard let name = listed["id"]?.string, let kind = listed["kind"]?.string.flatMap(Kind.init) else { return nil }
    func text(_ member: String, _ usual: String) -> String { listed[member]?.string ?? usual }
    (self.name, self.kind, html, act) = (name, kind, text("html", ""), text("act", ""))
    (trigger, serves) = (text("trigger", "click"), text("serves", "text/html"))
    guard case .object(let members) = listed["headers"] ?? .object([]) else { return nil }
    headers = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.string ?? "") })
  }
}

/// What is gone by one page: a way, or all ways of a kind that stay in their page.
struct SelfTestStep: Hashable {
  let name: String
  let ways: [SelfTestWay]

  var isDownload: Bool { ways.contains { $0.kind == .download } }

  init(_ way: SelfTestWay) { (name, ways) = (way.name, [way]) }

  init(all kind: SelfTestWay.Kind) {
    (name, ways) = ("all-" + kind.plural, SelfTestWay.all.filter { $0.kind == kind && $0.isShared })
  }

  init?(named name: some StringProtocol) {
    guard let found = Self.known[String(name)] else { return nil }
    self = found
  }

  /// Those of the shared pages come first, and downloads last, since they may open a dialogue.
  static let all: [SelfTestStep] =
    SelfTestWay.Kind.allCases.filter(\.stays).map { SelfTestStep(all: $0) }
    + SelfTestWay.all.filter { !$0.isShared }.map { SelfTestStep($0) }

  private static let known = Dictionary(
    uniqueKeysWithValues: (all + SelfTestWay.all.filter(\.isShared).map { SelfTestStep($0) }).map { ($0.name, $0) })
}

/// A way to a host.
struct SelfTestTrip: Hashable {
  let way: String
  let host: SelfTestHost
}

/// The hosts of the site, by the last number of their address in the loopback network.
enum SelfTestHost: UInt8, CaseIterable {
  /// The organisation's own.
  case own = 1
  /// External by the default, which no rule names.
  case external = 2
  /// A rule names it.
  case named = 3

  var address: String { "127.0.0.\(rawValue)" }
}
