package import GuardModel
internal import PolicyEngine

/// Random questions about data, and their forms for the engine.
extension RandomWorld {
  package static let peers = RandomPolicy.appNames + ["word.desktop", "editor.desktop"]
  private static let dataEvents: [EventKind] = [
    .save, .save, .open, .open, .receive, .receive, .share, .share, .download, .upload, .print, .capture, .notify,
    .openURL, .exchange, .index,
  ]
  /// Those in which an app says what it read of a file.
  private static let fileEvents: [EventKind] = [.save, .open, .receive, .share, .upload]
  private static let paths = ["/home/ada/a.txt", "/a//b", "/a/../b", "a", "/a\u{1}b", "/a/"]

  package func dataEvent(_ world: borrowing TwinWorld, time: UInt64, _ random: inout SeededGenerator) -> ModelDataEvent
  {
    var event = ModelDataEvent(random.one(of: Self.dataEvents))
    if random.oneIn(300) { event.kind = .unknown }
    event.instance = random.below(world.ids.count)
    event.viewer = random.one(of: Self.viewers, orNilOneIn: 10)
    event.owner = random.oneIn(2) ? nil : account(&random)
    event.location = random.one(of: Location.allCases)
    event.locationAccount = random.oneIn(3) ? nil : account(&random)
    event.path = random.oneIn(4) ? random.one(of: Self.paths) : nil
    event.peer = random.one(of: Self.peers, orNilOneIn: 8)
    event.peerAccount = random.oneIn(3) ? nil : account(&random)
    event.url = random.oneIn(30) ? nil : urls.text(&random)
    event.from = random.oneIn(3) ? nil : urls.text(&random)
    event.isInPlace = random.oneIn(12)
    event.isChooser = random.oneIn(12)
    event.isProbe = random.oneIn(12)
    event.channel = random.one(of: Channel.allCases)
    event.capture = random.one(of: CaptureKind.allCases)
    event.scope = scope(world, &random)
    event.time = time
    if Self.fileEvents.contains(event.kind) {
      event.label = random.oneIn(8) ? fileOwner(&random) : nil
      event.kept = random.oneIn(12) ? fileOwner(&random) : nil
    }
    return event
  }

  private func fileOwner(_ random: inout SeededGenerator) -> String {
    random.oneIn(12) ? ModelDataEvent.unreadable : random.one(of: RandomPolicy.accountNames)
  }

  private func account(_ random: inout SeededGenerator) -> String {
    if random.oneIn(12) { return "who@else.example" }
    return random.oneIn(8) ? "" : random.one(of: RandomPolicy.accountNames)
  }
}

extension TwinWorld {
  package mutating func engineEvent(_ asked: ModelDataEvent) -> Event {
    var event = Event(asked.kind)
    event.viewer = asked.viewer.map { event.append($0) }
    event.owner = asked.owner.map { event.append($0) }
    event.labelOwner = Self.claim(asked.label, &event)
    event.keptOwner = Self.claim(asked.kept, &event)
    event.locationAccount = asked.locationAccount.map { event.append($0) }
    event.path = asked.path.map { event.append($0) }
    event.peer = asked.peer.map { event.append($0) }
    event.peerAccount = asked.peerAccount.map { event.append($0) }
    event.url = asked.url.map { event.append($0) }
    event.from = asked.from.map { event.append($0) }
    event.location = asked.location
    event.isInPlace = asked.isInPlace
    (event.isChooser, event.isProbe) = (asked.isChooser, asked.isProbe)
    event.channel = asked.channel
    event.capture = asked.capture
    event.scope = engineIdentity(asked.scope, in: asked.instance)
    event.time = asked.time
    return event
  }

  private static func claim(_ name: String?, _ event: inout Event) -> FileOwnerClaim {
    guard let name else { return .none }
    return name == ModelDataEvent.unreadable ? .unknown : .account(event.append(name))
  }

  /// Answers the request that an instance was made first, if one is open.
  package mutating func answerRequest(_ result: SwitchResult, in instance: Int, at time: UInt64) {
    guard let request = state.openRequests(of: ids[instance], at: time).first else { return }
    guard (try? state.answer(request.id, result, in: ids[instance], at: time, snapshot)) != nil else { return }
    let window = request.window.map { String(decoding: $0, as: UTF8.self) }
    let key = ModelRequest(
      window: window, from: modelIdentity(state.name(of: request.from)), isByURL: request.cause == .openURL)
    guard result == .success else {
      // Its time is over.
      model.instances[instance].asked[key] = 0
      return
    }
    if let window {
      model.instances[instance].windows[window] = .nobody
      model.instances[instance].mixed[window] = nil
      model.instances[instance].forgetRequests(of: window)
    } else {
      model.instances[instance].process = .nobody
      model.instances[instance].forgetRequestsOfProcess()
    }
  }
}
