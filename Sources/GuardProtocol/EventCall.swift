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
  package static let members = ParameterTable<EventCall>([
    .slot("viewer") { $0.viewer = $1 },
    .slot("url") { $0.url = $1 },
    .slot("from") { $0.from = $1 },
    .word("frame", .frame) { $0.event.frame = $1 },
    .flag("hop") { $0.hop = Ternary($1) },
    .slot("method") { $0.method = $1 },
    .word("gesture", .gesture) { $0.event.gesture = $1 },
    .flag("sameDocument") { $0.isSameDocument = $1 },
    .flag("newWindow") { $0.opensWindow = $1 },
    .word("selection", .selection) { $0.event.selection = $1 },
    .flag("cut") { $0.isCut = $1 },
    .amount("length") { $0.event.length = $1 },
    Parameter("formats", .texts) { value, call in call.event.keepFormats(value) },
    .flag("selfOwned") { $0.selfOwned = Ternary($1) },
    Parameter("clip", .text) { value, call in
      guard let text = value.stringBytes else { return false }
      call.event.clip = ClipID(text).map(ClipClaim.id) ?? .unreadable
      return true
    },
    Parameter("proposal", .text) { value, call in
      guard let text = value.stringBytes else { return false }
      call.event.proposal = ProposalID(text)
      return true
    },
    .slot("display") { $0.display = $1 },
    .slot("owner") { $0.owner = $1 },
    .reading("location", .location) { event, word in
      event.location = word ?? .other
      if word == nil { event.notes.insert(.unknownLocation) }
    },
    .slot("locationAccount") { $0.locationAccount = $1 },
    .slot("path") { $0.path = $1 },
    .flag("inPlace") { $0.isInPlace = $1 },
    .slot("peer") { $0.peer = $1 },
    .slot("peerAccount") { $0.peerAccount = $1 },
    .reading("channel", .channel) { $0.channel = $1 ?? .unknown },
    .reading("capture", .capture) { $0.capture = $1 ?? .unknown },
    .word("inspection", .inspection) { $0.event.inspection = $1 },
    .word("surface", .surface) { $0.event.surface = $1 },
    .flag("chooser") { $0.isChooser = $1 },
    .flag("probe") { $0.isProbe = $1 },
    .slot("action") { $0.action = $1 },
    .amount("deadline") { $0.deadline = $1 },
  ])

  /// Forgets everything but the buffer's capacity.
  mutating func reset(to kind: EventKind) {
    event.reset(to: kind)
    deadline = nil
  }
}

extension Parameter<EventCall> {
  /// A text that is kept in the event's buffer.
  fileprivate static func slot(_ name: String, _ set: @escaping @Sendable (inout Event, TextSlot) -> Void) -> Self {
    Parameter(name, .text) { value, call in
      guard let text = value.stringBytes else { return false }
      set(&call.event, call.event.append(text))
      return true
    }
  }

  fileprivate static func flag(_ name: String, _ set: @escaping @Sendable (inout Event, Bool) -> Void) -> Self {
    Parameter(name, .bool) { value, call in
      guard let truth = value.bool else { return false }
      set(&call.event, truth)
      return true
    }
  }

  /// A word that a newer app may know and this service does not. It is read as the strictest one, with a note.
  fileprivate static func reading<Word: Sendable>(
    _ name: String, _ words: Words<Word>, _ set: @escaping @Sendable (inout Event, Word?) -> Void
  ) -> Self {
    Parameter(name, .word(words.names)) { value, call in
      guard let text = value.stringBytes else { return false }
      set(&call.event, words[text])
      return true
    }
  }

  /// A number that cannot be negative.
  fileprivate static func amount(_ name: String, _ set: @escaping @Sendable (inout EventCall, Int) -> Void) -> Self {
    Parameter(name, .int) { value, call in
      guard let number = value.int, number >= 0 else { return false }
      set(&call, Int(number))
      return true
    }
  }
}
