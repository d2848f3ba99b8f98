/// Which questions are about one thing that the user did, so that one click opens one browser and leaves one record.
///
/// Engines ask several times about one click: before the request, for the new window, in the new window. Questions about
/// the same viewer and URL within a second of the first share an id, and the first navigation of a popup shares that of
/// the question whether it may open.
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
  /// Popups that were asked about and have not navigated yet.
  private var popups: [Place: Entry] = [:]
  /// Viewers that another opened, and that have not navigated yet, with their openers.
  private var openers: [String: String] = [:]
  private let prefix: String
  private var count = 0

  /// How long one thing that the user did may take, in milliseconds.
  static let duration: Int64 = 1_000
  /// How long a popup may take from the question whether it may open to its first navigation, in milliseconds.
  static let popupDuration: Int64 = 10_000
  /// Places that are kept at most: a page cannot make an app remember more.
  static let capacity = 256

  /// - Parameter prefix: tells the ids of this program from those of another one of the same app.
  package init(prefix: String) { self.prefix = prefix }

  /// Another viewer opened this one.
  package mutating func registered(_ viewer: String, opener: String) { openers[viewer] = opener }

  /// The viewer is gone; another one of its name starts anew.
  package mutating func forgot(_ viewer: String) { openers[viewer] = nil }

  /// The action of a navigation that has none of its own; nil for one that names no viewer or URL.
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
