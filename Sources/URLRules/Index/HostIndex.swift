internal import URLStandard

/// Rules by host, and under each host by path.
struct HostIndex: Sendable {
  /// The rules under one host.
  struct Node: Sendable {
    /// Rules for the host itself, on every path.
    var whole = PostingList()
    /// Rules for hosts below it, on every path.
    var below = PostingList()
    /// The path tries of both, or -1.
    var wholePaths: Int32 = -1
    var belowPaths: Int32 = -1
  }

  private let table: HostTable
  private let nodes: [Node]
  private let paths: PathTrie

  init(_ table: HostTable, _ nodes: [Node], _ paths: PathTrie) {
    self.table = table
    self.nodes = nodes
    self.paths = paths
  }

  var isEmpty: Bool { nodes.isEmpty }

  /// Begins to fetch the memory that a search for a host reads.
  func prefetch(_ host: Range<Int>, in text: RawSpan) { table.prefetch(host, in: text) }

  /// Calls `body` with the rules under a record's host and under each of its parents; returns how often it looked.
  @inline(__always)
  func forEachList(of record: borrowing URLRecord, _ body: (PostingList) -> Void) -> Int {
    let text = record.bytes.span.bytes
    var matches = table.matches(of: record.hostRange, in: text, isAddress: record.hasAddress)
    var steps = 0
    while table.advance(&matches) {
      let node = nodes[Int(matches.value)]
      body(matches.isWhole ? node.whole : node.below)
      var walk = PathTrie.Walk(from: matches.isWhole ? node.wholePaths : node.belowPaths)
      while paths.advance(&walk, along: record.pathBytes) { body(walk.rules) }
      steps &+= walk.steps
    }
    return steps &+ matches.probes
  }
}

/// The ends of a host at its labels' borders, shortest first, each with its hash: `com`, `contoso.com`,
/// `mail.contoso.com`.
///
/// One pass from the last byte to the first; the hash of an end grows out of that of the end before it. Empty labels
/// count: `a..b` ends in `b`, in `.b` and in `a..b`.
struct HostWalk: ~Escapable {
  private let text: RawSpan
  /// Start of the host in the text.
  private let hostStart: Int
  private let hostEnd: Int
  private let hash: ByteHash
  /// Start of the present end of the host.
  private(set) var start: Int
  /// The hash of the present end.
  private(set) var value: UInt64
  /// Number of labels of the present end.
  private(set) var labels = 0

  /// Walks the host that stands at `host` in `text`. The bytes before it are not part of it, and make reading faster.
  @_lifetime(copy text)
  @inline(__always)
  init(_ text: RawSpan, _ host: Range<Int>, _ hash: ByteHash) {
    self.text = text
    hostStart = host.lowerBound
    hostEnd = host.upperBound
    self.hash = hash
    start = host.upperBound &+ 1
    value = hash.start
  }

  /// Whether the present end is the whole host.
  var isWhole: Bool {
    @inline(__always) get { start == hostStart }
  }

  /// The bytes of the present end.
  var name: RawSpan {
    @inline(__always)
    @_lifetime(copy self)
    get { text.extracting(unchecked: start..<hostEnd) }
  }

  /// Goes on to the end that has one label more; false when there is none.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func next() -> Bool {
    guard start > hostStart else { return false }
    var end = start &- 1
    while true {
      let word = load(before: end)
      let count = min(Self.bytesBehindLastDot(of: word), end &- hostStart)
      if count == 8 {
        value = hash.mix(value, word)
        end &-= 8
      } else {
        let bytes = count == 0 ? 0 : word &>> UInt64(truncatingIfNeeded: 64 &- 8 &* count)
        value = hash.finish(value, bytes, count: count)
        start = end &- count
        labels &+= 1
        return true
      }
    }
  }

  /// The eight bytes before `end`, the last of them highest; zeroes stand for places before the text.
  @inline(__always)
  private func load(before end: Int) -> UInt64 {
    if end >= 8 { return text.unsafeLoadUnaligned(fromUncheckedByteOffset: end &- 8, as: UInt64.self) }
    var word: UInt64 = 0
    for index in 0..<end {
      word = word &>> 8 | UInt64(text.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)) &<< 56
    }
    return word
  }

  /// Number of the eight bytes that lie behind the last dot: all when there is none.
  @inline(__always)
  private static func bytesBehindLastDot(of word: UInt64) -> Int {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    let differs = word ^ 0x2E2E_2E2E_2E2E_2E2E
    let dots = ~((differs & low) &+ low | differs | low)
    return dots.leadingZeroBitCount &>> 3
  }
}
