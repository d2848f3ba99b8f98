import JSONText
import TestSupport

/// A course of copies and changes by one program, and whose each selection is after any part of it.
struct ClipStory {
  struct Event {
    var method: String
    var selection: String
    /// Whether it is done in the managed account's viewer.
    var isManaged: Bool

    var json: JSONTree {
      let viewer: JSONTree = isManaged ? "E" : "P"
      let common: [JSONTree.Member] = [
        .init("viewer", viewer), .init("selection", .string(selection)), .init("formats", ["text/plain"]),
        .init("length", 7),
      ]
      return .object(method == "Copy" ? common : common + [.init("selfOwned", false)])
    }
  }

  static let selections = ["clipboard", "primary"]

  private(set) var events: [Event] = []

  /// Begins with a copy of everything, so that every owner is known.
  init(_ random: inout SeededGenerator) {
    for selection in Self.selections {
      events.append(Event(method: "Copy", selection: selection, isManaged: random.oneIn(2)))
    }
    for _ in 0..<20 + random.below(180) {
      events.append(
        Event(
          method: random.oneIn(4) ? "ClipboardChanged" : "Copy", selection: random.one(of: Self.selections),
          isManaged: random.oneIn(2)))
    }
  }

  /// Whose a selection is after the first `count` events; an unknown owner before any is managed. The program's own word
  /// that it lost the selection counts from the second time on: the first may be older than its copy.
  func isManaged(_ selection: String, after count: Int) -> Bool {
    var isManaged = true
    var awaitsEcho = false
    for event in events[..<count] where event.selection == selection {
      if event.method == "Copy" {
        (isManaged, awaitsEcho) = (event.isManaged, true)
      } else if awaitsEcho {
        awaitsEcho = false
      } else {
        isManaged = false
      }
    }
    return isManaged
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
