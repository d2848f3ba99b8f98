internal import Bytes
package import GuardModel
internal import JSONText

/// An event as it came in. Keep one for each loop: once its buffer has grown, reading into it allocates nothing.
package struct EventCall: Call, Hashable {
  package var event = Event()
  /// The time that the client waits for the answer, in milliseconds; nil when it did not say.
  package var deadline: Int?

  package init() {}

  package static let parameters = ParameterTable<EventCall>([
    Parameter("event", .object, isRequired: true) { value, call throws(ServiceError) in
      guard value.kind == .object else { return false }
      try EventCall.members.read(value, into: &call)
      return true
    }
  ])

  /// The members of an `Event`, in the order of the interface file.
  package static let members = ParameterTable<EventCall>(
    EventMember.all.map { member in
      Parameter(member.rawValue, member.type) { value, call in call.keep(member, value) }
    },
    store: { number, value, call in call.keep(EventMember.all[number], value) })

  /// Forgets everything but the buffer's capacity.
  mutating func reset(to kind: EventKind) {
    event.reset(to: kind)
    deadline = nil
  }
}

/// A member of an `Event`, in the order of the interface file.
private enum EventMember: String, CaseIterable {
  case viewer, url, from, frame, hop, method, gesture, sameDocument, newWindow
  case selection, cut, length, formats, selfOwned, clip, proposal, display
  case owner, location, locationAccount, path, inPlace, peer, peerAccount, channel, capture
  case inspection, surface, chooser, probe, action, deadline
  case label, file, origin

  static let all = EventMember.allCases

  var type: ParameterType {
    switch self {
    case .viewer, .url, .from, .method, .clip, .proposal, .display, .owner, .locationAccount, .path, .peer,
      .peerAccount, .action, .label, .file, .origin:
      .text
    case .hop, .sameDocument, .newWindow, .cut, .selfOwned, .inPlace, .chooser, .probe: .bool
    case .length, .deadline: .int
    case .formats: .texts
    case .frame: .word(Words.frame.names)
    case .gesture: .word(Words.gesture.names)
    case .selection: .word(Words.selection.names)
    case .location: .word(Words.location.names)
    case .channel: .word(Words.channel.names)
    case .capture: .word(Words.capture.names)
    case .inspection: .word(Words.inspection.names)
    case .surface: .word(Words.surface.names)
    }
  }
}

extension EventCall {
  /// Keeps a value; false when its type or range is wrong.
  fileprivate mutating func keep(_ member: EventMember, _ value: JSONValue) -> Bool {
    switch member {
    case .viewer: slot(value) { $0.viewer = $1 }
    case .url: slot(value) { $0.url = $1 }
    case .from: slot(value) { $0.from = $1 }
    case .frame: word(value, .frame) { $0.frame = $1 }
    case .hop: flag(value) { $0.hop = Ternary($1) }
    case .method: slot(value) { $0.method = $1 }
    case .gesture: word(value, .gesture) { $0.gesture = $1 }
    case .sameDocument: flag(value) { $0.isSameDocument = $1 }
    case .newWindow: flag(value) { $0.opensWindow = $1 }
    case .selection: word(value, .selection) { $0.selection = $1 }
    case .cut: flag(value) { $0.isCut = $1 }
    case .length: amount(value) { $0.event.length = $1 }
    case .formats: event.keepFormats(value)
    case .selfOwned: flag(value) { $0.selfOwned = Ternary($1) }
    case .clip: text(value) { $0.clip = ClipID($1).map(ClipClaim.id) ?? .unreadable }
    case .proposal: text(value) { $0.proposal = ProposalID($1) }
    case .display: slot(value) { $0.display = $1 }
    case .owner: slot(value) { $0.owner = $1 }
    case .location:
      newerWord(value, .location) { event, word in
        event.location = word ?? .other
        if word == nil { event.notes.insert(.unknownLocation) }
      }
    case .locationAccount: slot(value) { $0.locationAccount = $1 }
    case .path: slot(value) { $0.path = $1 }
    case .inPlace: flag(value) { $0.isInPlace = $1 }
    case .peer: slot(value) { $0.peer = $1 }
    case .peerAccount: slot(value) { $0.peerAccount = $1 }
    case .channel: newerWord(value, .channel) { $0.channel = $1 ?? .unknown }
    case .capture: newerWord(value, .capture) { $0.capture = $1 ?? .unknown }
    case .inspection: word(value, .inspection) { $0.inspection = $1 }
    case .surface: word(value, .surface) { $0.surface = $1 }
    case .chooser: flag(value) { $0.isChooser = $1 }
    case .probe: flag(value) { $0.isProbe = $1 }
    case .action: slot(value) { $0.action = $1 }
    case .deadline: amount(value) { $0.deadline = $1 }
    case .label: claim(value, \.labelOwner)
    case .file: claim(value, \.keptOwner)
    case .origin: slot(value) { $0.origin = $1 }
    }
  }

  @inline(__always)
  private mutating func text(_ value: JSONValue, _ set: (inout Event, Span<UInt8>) -> Void) -> Bool {
    guard let text = value.stringBytes else { return false }
    set(&event, text)
    return true
  }

  /// A text that is kept in the event's buffer.
  @inline(__always)
  private mutating func slot(_ value: JSONValue, _ set: (inout Event, TextSlot) -> Void) -> Bool {
    text(value) { event, text in set(&event, event.append(text)) }
  }

  /// A label or a file's facts. No genuine ones are longer than a name: longer ones are not kept.
  private mutating func claim(_ value: JSONValue, _ path: WritableKeyPath<Event, FileOwnerClaim>) -> Bool {
    text(value) { event, text in
      event[keyPath: path] = text.count > 256 ? .unknown : .unread(event.append(text))
    }
  }

  @inline(__always)
  private mutating func flag(_ value: JSONValue, _ set: (inout Event, Bool) -> Void) -> Bool {
    guard let truth = value.bool else { return false }
    set(&event, truth)
    return true
  }

  @inline(__always)
  private mutating func word<Word: Sendable>(
    _ value: JSONValue, _ words: Words<Word>, _ set: (inout Event, Word) -> Void
  ) -> Bool {
    guard let text = value.stringBytes, let word = words[text] else { return false }
    set(&event, word)
    return true
  }

  /// A word that a newer app may know and this service does not. It is read as the strictest one, with a note.
  @inline(__always)
  private mutating func newerWord<Word: Sendable>(
    _ value: JSONValue, _ words: Words<Word>, _ set: (inout Event, Word?) -> Void
  ) -> Bool {
    text(value) { event, text in set(&event, words[text]) }
  }

  /// A number that cannot be negative.
  @inline(__always)
  private mutating func amount(_ value: JSONValue, _ set: (inout EventCall, Int) -> Void) -> Bool {
    guard let number = value.int, number >= 0 else { return false }
    set(&self, Int(number))
    return true
  }
}

extension ClipID {
  /// The id in these bytes, spelled exactly as in `text`; nil for anything else. Makes no String.
  ///
  ///     ClipID("clip-000000000000002a-7".utf8.span)     // number 7 of epoch 42
  ///     ClipID("clip-000000000000002A-7".utf8.span)     // nil
  ///     ClipID("clip-000000000000002a-07".utf8.span)    // nil
  init?(_ bytes: Span<UInt8>) {
    guard let read = epochNumber(bytes, "clip-") else { return nil }
    self.init(epoch: read.epoch, number: read.number)
  }
}

extension ProposalID {
  /// Reads these bytes as `ClipID` does.
  init?(_ bytes: Span<UInt8>) {
    guard let read = epochNumber(bytes, "proposal-") else { return nil }
    self.init(epoch: read.epoch, number: read.number)
  }
}

private func epochNumber(_ bytes: Span<UInt8>, _ prefix: StaticString) -> (epoch: UInt64, number: UInt64)? {
  let dash = prefix.utf8CodeUnitCount + 16
  guard bytes.count > dash + 1, bytes[dash] == UInt8(ascii: "-") else { return nil }
  for index in 0..<prefix.utf8CodeUnitCount {
    guard prefix.withUTF8Buffer({ $0[index] }) == bytes[index] else { return nil }
  }
  guard let epoch = UInt64(lowerCaseHex: bytes.extracting(prefix.utf8CodeUnitCount..<dash)) else { return nil }
  guard let number = UInt64(decimal: bytes.extracting((dash + 1)..<bytes.count)) else { return nil }
  return (epoch, number)
}
