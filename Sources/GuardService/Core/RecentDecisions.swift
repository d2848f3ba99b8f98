internal import GuardModel
internal import GuardProtocol

/// The last decisions, for `explain`: a ring.
struct RecentDecisions {
  struct Entry {
    var id: DecisionID
    var time: UInt64
    var app: String
    var viewer: String?
    var event: EventKind
    var url: String?
    var report: DecisionReport
  }

  private var entries: [Entry] = []
  private var next = 0

  static let capacity = 4096
  static let longestURL = 2048

  /// Long URLs are shortened: they are for reading here, and many of them must not fill the memory.
  mutating func insert(_ entry: Entry) {
    var entry = entry
    entry.url = entry.url.map { String($0.prefix(Self.longestURL)) }
    if let url = entry.report.open?.url, url.utf8.count > Self.longestURL { entry.report.open = nil }
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.capacity
    }
  }

  /// The answer never left: to the app it was a block.
  mutating func withdraw(_ id: DecisionID) {
    guard let index = entries.lastIndex(where: { $0.id == id }) else { return }
    entries[index].report.outcome = .block
    entries[index].report.message = "the decision could not be recorded, so the answer was withdrawn"
  }

  func entry(_ id: DecisionID) -> Entry? { entries.last { $0.id == id } }
}
