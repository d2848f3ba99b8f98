internal import Bytes
internal import GuardModel
internal import GuardProtocol

/// The last decisions, for `explain`: a ring. A place keeps its room for texts, so that a decision in a full ring allocates
/// nothing.
struct RecentDecisions {
  /// A decision as `explain` reads it.
  package struct Entry {
    var id: DecisionID
    var app: String
    var viewer: String?
    var event: EventKind
    var url: String?
    var report: DecisionReport
    /// No page of it may be named.
    var isPrivate: Bool
  }

  fileprivate struct Place {
    var id: DecisionID
    var app: String
    var event: EventKind
    var form: RenderedAnswer
    /// The viewer's name, then the URL; nil for each that the event did not have.
    var text = GrowingBytes()
    var viewer: Range<Int>?
    var url: Range<Int>?
    var isWithdrawn = false
  }

  private var places: [Place] = []
  private var next = 0

  static let capacity = 4096
  static let longestURL = 2048

  /// Notes a decision, with the URL as the log has it. Long URLs are shortened: they are for reading here, and many of them
  /// must not fill the memory.
  mutating func insert(_ id: DecisionID, _ form: RenderedAnswer, of event: Event, app: String, url: GrowingBytes?) {
    let form = form.keeping(Self.longestURL)
    if places.count < Self.capacity {
      places.append(Place(id: id, app: app, event: event.kind, form: form))
      places[places.count - 1].take(event, url)
      return
    }
    places[next].id = id
    places[next].app = app
    places[next].event = event.kind
    places[next].form = form
    places[next].isWithdrawn = false
    places[next].take(event, url)
    next = (next + 1) % Self.capacity
  }

  /// The answer never left: to the app it was a block.
  mutating func withdraw(_ id: DecisionID) {
    guard let index = places.lastIndex(where: { $0.id == id }) else { return }
    places[index].isWithdrawn = true
  }

  func entry(_ id: DecisionID) -> Entry? { places.last { $0.id == id }.map(Self.entry) }

  private static func entry(_ place: Place) -> Entry {
    var report = place.form.report
    if place.isWithdrawn {
      report.outcome = .block
      report.message = "the decision could not be recorded, so the answer was withdrawn"
    }
    return Entry(
      id: place.id, app: place.app, viewer: place.string(place.viewer), event: place.event,
      url: place.string(place.url), report: report, isPrivate: place.form.isPrivate)
  }
}

extension RecentDecisions.Place {
  /// Takes over the event's texts.
  fileprivate mutating func take(_ event: Event, _ url: GrowingBytes?) {
    text.removeAll()
    viewer = event.viewer.map { slot in append(event.bytes(slot)) }
    self.url = url.map { append($0.span.extracting(first: RecentDecisions.longestURL)) }
  }

  private mutating func append(_ bytes: Span<UInt8>) -> Range<Int> {
    let start = text.count
    text.append(copying: bytes)
    return start..<text.count
  }

  fileprivate func string(_ range: Range<Int>?) -> String? {
    range.map { range in
      text.span.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
  }
}
