internal import AccountDirectories
internal import AccountKeys
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// Brings the directories of accounts into the state that the daemon wants, again and again.
///
/// A failure of one directory is told, tried again, and holds up no other one. The daemon's whole list comes at each change,
/// so nothing depends on having heard every change.
struct DirectoryKeeper {
  let store: DirectoryStore
  /// The daemon's socket for administrators.
  let socket: String
  /// The states that the daemon heard last.
  private var told: [KeyOwner: DirectoryReport] = [:]
  /// The problems that were printed last, so that each is printed once.
  private var printed: [KeyOwner: String] = [:]

  /// Milliseconds for one call, and between two looks at directories that are not as they should be.
  private static let patience = 10_000
  private static let pause = 5_000

  init(store: DirectoryStore, socket: String) { (self.store, self.socket) = (store, socket) }

  /// Serves the daemon until its connection ends.
  ///
  /// - Parameter isThere: called whenever the daemon has said something.
  mutating func serve(_ isThere: () -> Void) throws(ClientError) {
    told = [:]
    var news = try VarlinkClient(connectingTo: socket, patience: Self.patience)
    try news.send("\(Self.interface).KeepDirectories", KeeperWords.beginning(ways, open: openPlaces), replies: .more)
    var wanted: [KeyOwner: DirectoryWay]?
    while true {
      do throws(ClientError) {
        wanted = try KeeperWords.wanted(try news.receive(until: Deadline(after: Self.pause)))
      } catch {
        guard case .tooLate = error else { throw error }
      }
      isThere()
      if let wanted { try settle(wanted) }
    }
  }

  /// Closes every directory; false when one could not be closed.
  mutating func closeAll() -> Bool {
    var isDone = true
    for place in places() where close(place) != .none { isDone = false }
    return isDone
  }

  // MARK: Inside

  private static let interface = "org.webviewguard.Admin"

  private var ways: [DirectoryWay] {
    DirectoryWay.allCases.filter { DirectoryWays.answer($0, below: store.root) == .able }
  }

  private mutating func places() -> [DirectoryPlace] {
    do throws(SystemError) { return try store.places() } catch {
      StandardError.say("webviewguard: \(error.description.escapedForDisplay)")
      return []
    }
  }

  private var openPlaces: [DirectoryPlace] {
    ((try? store.places()) ?? []).filter { (try? store.state(of: $0)) == .open }
  }

  private mutating func settle(_ wanted: [KeyOwner: DirectoryWay]) throws(ClientError) {
    VaultPrograms.reap()
    for place in places() where wanted[place.owner] == nil {
      try tell(place, close(place))
    }
    for (owner, way) in wanted.sorted(by: { ($0.key.uid, $0.key.account.value.hex) < ($1.key.uid, $1.key.account.value.hex) }) {
      let place = store.place(of: owner)
      try tell(place, open(place, way))
    }
  }

  /// The problem; nil where it is closed.
  private func close(_ place: DirectoryPlace) -> DirectoryReport {
    do throws(DirectoryFault) {
      switch try store.close(place) {
      case .closed: return .none
      case .filesStillOpen: return .failed("programs still have files open in `\(place.files)`")
      }
    } catch {
      return .failed(error.description)
    }
  }

  private func open(_ place: DirectoryPlace, _ way: DirectoryWay) throws(ClientError) -> DirectoryReport {
    let mark: DirectoryMark?
    do throws(DirectoryFault) {
      mark = try store.mark(of: place)
      // The policy wants another way now: the old files are not thrown away.
      if let mark, mark.way != way {
        try store.close(place)
        return .failed("`\(place.area)` was made by \(mark.way.rawValue): move it away, once its files are saved")
      }
      if try store.state(of: place) == .open { return .open(place.files) }
    } catch {
      return .failed(error.description)
    }
    let object = mark?.object ?? .random()
    let answer = try KeeperWords.key(try call("DirectoryKey", KeeperWords.wish(place.owner, object, mark?.key)))
    do throws(DirectoryFault) { return try use(answer, object, for: place, way) } catch {
      return .failed(error.description)
    }
  }

  private func use(
    _ answer: KeeperWords.KeyAnswer, _ object: SealedObjectID, for place: DirectoryPlace, _ way: DirectoryWay
  ) throws(DirectoryFault) -> DirectoryReport {
    switch answer {
    case .refused(let error): return .failed("the daemon gave no key: \(error)")
    case .destroyed:
      // Nobody will ever read it again. The next look makes a new one.
      try store.remove(place)
      return .opening
    case .key(let key, let id):
      try store.open(place, by: DirectoryMark(way: way, key: id, object: object), key: key)
      return .open(place.files)
    }
  }

  private mutating func tell(_ place: DirectoryPlace, _ report: DirectoryReport) throws(ClientError) {
    if case .failed(let problem) = report, printed[place.owner] != problem {
      StandardError.say("webviewguard: \(problem.escapedForDisplay)")
      printed[place.owner] = problem
    } else if case .open = report {
      printed[place.owner] = nil
    }
    guard told[place.owner] != report else { return }
    _ = try call("NoteDirectory", KeeperWords.note(place.owner, report))
    told[place.owner] = report
  }

  private func call(_ method: String, _ parameters: JSONTree) throws(ClientError) -> VarlinkReply {
    var client = try VarlinkClient(connectingTo: socket, patience: Self.patience)
    try client.send("\(Self.interface).\(method)", try KeeperWords.text(parameters))
    return try client.receive(until: Deadline(after: Self.patience))
  }
}

/// What became of a directory.
enum DirectoryReport: Sendable, Hashable {
  /// It is closed.
  case none
  case opening
  case open(String)
  case failed(String)
}
