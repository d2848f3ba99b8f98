import JSONText
import TestSupport

/// A course of copies and changes by one program, and whose each selection is after any part of it.
struct ClipStory {
  struct Event {
    enum Kind { case copy, echo, otherFills }

    var kind: Kind
    var selection: String
    /// Whether it is done in the managed account's viewer.
    var isManaged: Bool
    /// Unicode scalars. Each copy has its own, so that its echo is told from others.
    var length: Int

    var method: String { kind == .copy ? "Copy" : "ClipboardChanged" }

    var json: JSONTree {
      let viewer: JSONTree = isManaged ? "E" : "P"
      let common: [JSONTree.Member] = [
        .init("viewer", viewer), .init("selection", .string(selection)), .init("formats", ["text/plain"]),
        .init("length", .int(Int64(length))),
      ]
      return .object(kind == .copy ? common : common + [.init("selfOwned", .bool(kind == .echo))])
    }
  }

  static let selections = ["clipboard", "primary"]
  private static let foreignLength = 5

  private(set) var events: [Event] = []
  /// How many events it takes until every owner is known.
  private(set) var opening = 0

  /// Begins with a copy of everything, so that every owner is known.
  init(_ random: inout SeededGenerator) {
    for selection in Self.selections { copy(selection, isManaged: random.oneIn(2)) }
    opening = events.count
    for _ in 0..<20 + random.below(180) {
      let selection = random.one(of: Self.selections)
      let isManaged = random.oneIn(2)
      if random.oneIn(4) {
        events.append(
          Event(kind: .otherFills, selection: selection, isManaged: isManaged, length: Self.foreignLength))
      } else {
        copy(selection, isManaged: isManaged)
      }
    }
  }

  private mutating func copy(_ selection: String, isManaged: Bool) {
    let length = 10 + events.count
    for kind in [Event.Kind.copy, .echo] {
      events.append(Event(kind: kind, selection: selection, isManaged: isManaged, length: length))
    }
  }

  /// Whose a selection is after the first `count` events; an unknown owner before any is managed. Between a copy and its
  /// echo it is the stricter of what was there and of what is copied.
  func isManaged(_ selection: String, after count: Int) -> Bool {
    var isManaged: Bool?
    for event in events[..<count] where event.selection == selection {
      switch event.kind {
      case .copy: isManaged = (isManaged ?? false) || event.isManaged
      case .echo: isManaged = event.isManaged
      case .otherFills: isManaged = false
      }
    }
    return isManaged ?? true
  }

  /// The text of a call with names that nobody used before.
  static func anyCall(_ random: inout SeededGenerator) -> String {
    let name = String(random.next(), radix: 16)
    let viewer = random.one(of: ["E", "P", name])
    let selection = random.one(of: ["clipboard", "primary", "drag", "unknown"])
    let clip = #""viewer":"\#(viewer)","selection":"\#(selection)","display":"\#(name)","length":\#(random.below(9))"#
    let (method, event) =
      switch random.below(6) {
      case 0: ("Copy", clip)
      case 1: ("Paste", clip)
      case 2: ("ClipboardChanged", clip + #","selfOwned":\#(random.oneIn(2))"#)
      case 3: ("DragEnd", #""viewer":"\#(viewer)","display":"\#(name)""#)
      default:
        ("Navigate", #""viewer":"\#(viewer)","url":"https://\#(name).example/","frame":"main","action":"\#(name)""#)
      }
    return #"{"method":"org.webviewguard.Guard.\#(method)","parameters":{"event":{\#(event)}}}"#
  }
}
