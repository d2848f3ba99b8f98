package import GuardModel
internal import JSONText

/// `DecideMany`: several questions at once. Each holds its kind in its event.
package struct DecideManyCall: Call, Hashable {
  package private(set) var questions: [EventCall] = []
  /// Number of questions sent, even if that is too many.
  package private(set) var count = 0

  package init() {}

  /// Maximum questions in one call. This many decisions do not keep other callers waiting.
  private static let maximum = 256

  /// Throws when the call has more questions; those past the maximum were not read.
  package func checkCount() throws(Refusal) {
    guard count <= Self.maximum else { throw .limitReached(.questions, maximum: Self.maximum) }
  }

  package static let parameters = ParameterTable<DecideManyCall>([
    Parameter("questions", .objects, isRequired: true) { value, call throws(ServiceError) in
      guard value.kind == .array else { return false }
      var elements = value.elements
      while let element = elements.next() {
        guard element.kind == .object else { return false }
        call.count += 1
        guard call.count <= Self.maximum else { continue }
        var question = EventCall()
        try Self.members.read(element, into: &question)
        call.questions.append(question)
      }
      return true
    }
  ])

  /// The members of a `Question`, in the order of the interface file.
  package static let members = ParameterTable<EventCall>(
    [.word("kind", .eventKind, isRequired: true) { $0.event.kind = $1 }] + EventCall.parameters.parameters)
}

/// The direction of data between a viewer and a place.
package enum PlaceQuestion: String, Sendable, Hashable, CaseIterable {
  case save
  case open

  package var event: EventKind { self == .save ? .save : .open }
}

/// `DecideLocations`: one question for every location at once.
package struct DecideLocationsCall: Call, Hashable {
  package var kind = PlaceQuestion.save
  package var question = EventCall()

  package init() {}

  package static let parameters = ParameterTable<DecideLocationsCall>([
    .word("kind", .placeQuestion, \.kind), .event(\.question),
  ])
}

/// `DecidePeers`: one share with each of several programs.
package struct DecidePeersCall: Call, Hashable {
  package private(set) var peers: [String] = []
  package var question = EventCall()

  package init() {}

  /// Maximum programs in one call: more than a desktop shows at once.
  private static let maximum = 256

  /// Throws when the call names more programs.
  package func checkCount() throws(Refusal) {
    guard peers.count <= Self.maximum else { throw .limitReached(.questions, maximum: Self.maximum) }
  }

  package static let parameters = ParameterTable<DecidePeersCall>([
    .texts("peers", isRequired: true) { $0.peers = $1 }, .event(\.question),
  ])
}

extension Parameter {
  /// The event that a question is about.
  fileprivate static func event(_ path: Path<EventCall>) -> Parameter {
    Parameter("event", .object, isRequired: true) { value, call throws(ServiceError) in
      guard value.kind == .object else { return false }
      try EventCall.members.read(value, into: &call[keyPath: path])
      return true
    }
  }
}
