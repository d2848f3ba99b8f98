/// Groups the questions about one user action, so one click opens one browser and leaves one record.
///
/// Engines ask several times about one click: before the request, for the new window, in the new window. Questions
/// about the same viewer and URL within a second of the first share an id. The first navigation of a popup shares the
/// id of the question about opening it.
package struct ActionBook: Sendable {
  private struct Place: Hashable {
    var viewer: String
    var url: String
  }

  private struct Entry {
    var action: String
    var began: Int64
  }

  private var lately: [Place: Entry] = [:]
  /// Popups that have been asked about and have not navigated yet.
  private var popups: [Place: Entry] = [:]
  /// Viewers opened by another that have not navigated yet, with their openers.
  private var openers: [String: String] = [:]
  private let prefix: String
  private var count = 0

  /// Maximum duration of one user action, in milliseconds.
  static let duration: Int64 = 1_000
  /// Maximum time from the question about a popup to its first navigation, in milliseconds.
  static let popupDuration: Int64 = 10_000
  /// Maximum number of remembered places: a page cannot make an app remember more.
  static let capacity = 256

  /// - Parameter prefix: distinguishes the ids of this program from those of another one of the same app.
  package init(prefix: String) { self.prefix = prefix }

  /// Records that another viewer opened this one.
  package mutating func registered(_ viewer: String, opener: String) { openers[viewer] = opener }

  /// Drops a viewer; another one of its name starts anew.
  package mutating func forgot(_ viewer: String) { openers[viewer] = nil }

  /// The action for a navigation without its own; nil when it names no viewer or URL.
  package mutating func action(of event: GuardEvent, at time: Int64) -> String? {
    guard let viewer = event.viewer, let url = event.url else { return nil }
    Self.expire(&lately, after: Self.duration, at: time)
    Self.expire(&popups, after: Self.popupDuration, at: time)
    let place = Place(viewer: viewer, url: url)
    let action = lately[place]?.action ?? opened(viewer, url) ?? make()
    if lately[place] == nil { lately[place] = Entry(action: action, began: time) }
    if event.newWindow == true { popups[place] = Entry(action: action, began: time) }
    return action
  }

  private mutating func opened(_ viewer: String, _ url: String) -> String? {
    guard let opener = openers.removeValue(forKey: viewer) else { return nil }
    return popups.removeValue(forKey: Place(viewer: opener, url: url))?.action
  }

  private mutating func make() -> String {
    count += 1
    return "\(prefix)-\(count)"
  }

  private static func expire(_ entries: inout [Place: Entry], after duration: Int64, at time: Int64) {
    entries = entries.filter { time - $0.value.began < duration }
    guard entries.count >= capacity, let oldest = entries.min(by: { $0.value.began < $1.value.began }) else { return }
    entries.removeValue(forKey: oldest.key)
  }
}
