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
/// so nothing depends on having heard every change. Closing comes first: what takes long, such as making a directory, is done
/// once between two looks at what the daemon says.
struct DirectoryKeeper {
  let store: DirectoryStore
  /// The daemon's socket for administrators.
  let socket: String
  /// The directories that have to be open, and those of them that are not looked at yet.
  private var wanted: [WantedDirectory]?
  private var waiting: [WantedDirectory] = []
  /// Directories that this daemon gave a key for.
  private var granted: Set<KeyOwner> = []
  /// The states that the daemon heard last.
  private var told: [KeyOwner: DirectoryReport] = [:]
  /// The problems that were printed: each is printed once.
  private var printed: Set<String> = []

  /// Milliseconds for one call, and between two looks at directories that are not as they should be.
  private static let patience = 10_000
  private static let pause = 5_000

  init(store: DirectoryStore, socket: String) { (self.store, self.socket) = (store, socket) }

  /// Serves the daemon until its connection ends, or it answers no more.
  ///
  /// - Parameter isThere: called whenever the daemon has said something.
  mutating func serve(_ isThere: () -> Void) throws(ClientError) {
    (wanted, waiting, granted, told) = (nil, [], [], [:])
    var news = try VarlinkClient(connectingTo: socket, patience: Self.patience)
    try news.send("\(Self.interface).KeepDirectories", KeeperWords.beginning(ways, open: openPlaces), replies: .more)
    while true {
      let deadline = Deadline(after: waiting.isEmpty ? Self.pause : 0)
      do throws(ClientError) {
        wanted = try KeeperWords.wanted(try news.receive(until: deadline))
        waiting = []
      } catch {
        guard case .tooLate = error else { throw error }
        // A daemon that hangs keeps its connection, and systemd one of a daemon that is gone.
        if waiting.isEmpty { _ = try call("org.varlink.service.GetInfo", .object([])) }
      }
      isThere()
      try settle()
    }
  }

  /// Closes every directory; false when one could not be closed.
  mutating func closeAll() -> Bool {
    let found = places()
    let reports = found.places.map(close)
    for report in reports { say(report) }
    return found.isWhole && reports.allSatisfy { $0 == .none }
  }

  // MARK: Inside

  private static let interface = "org.webviewguard.Admin"

  private var ways: [DirectoryWay] {
    DirectoryWay.allCases.filter { DirectoryWays.answer($0, below: store.root) == .able }
  }

  private mutating func places() -> (places: [DirectoryPlace], isWhole: Bool) {
    let found = store.places()
    for fault in found.faults { say(.failed(fault.description)) }
    return (found.places, found.faults.isEmpty)
  }

  private var openPlaces: [DirectoryPlace] { store.places().places.filter { (try? store.state(of: $0)) == .open } }

  /// Closes what has to be closed, and opens one directory.
  private mutating func settle() throws(ClientError) {
    VaultPrograms.reap()
    guard let wanted else { return }
    if waiting.isEmpty {
      let kept = Set(wanted.map { place(of: $0).area })
      let others = places().places.filter { !kept.contains($0.area) }
      let reports = others.map { ($0.owner, close($0)) }
      granted.subtract(others.map(\.owner))
      for (owner, report) in reports { try tell(owner, report) }
      waiting = wanted
    }
    guard let next = waiting.popLast() else { return }
    try tell(next.owner, open(place(of: next), for: next))
  }

  /// A directory that the account had under another of its ids stays the account's.
  private func place(of wanted: WantedDirectory) -> DirectoryPlace {
    let places = ([wanted.owner] + wanted.formers).map(store.place)
    return places.first { ((try? store.mark(of: $0)) ?? nil) != nil } ?? store.place(of: wanted.owner)
  }

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

  private mutating func open(
    _ place: DirectoryPlace, for wanted: WantedDirectory
  ) throws(ClientError) -> DirectoryReport {
    let way = wanted.way
    let mark: DirectoryMark?
    do throws(DirectoryFault) {
      mark = try store.mark(of: place)
      // The policy wants another way now: the old files are not thrown away.
      if let mark, mark.way != way {
        try store.close(place)
        return .failed("`\(place.area)` was made by \(mark.way.rawValue): move it away, once its files are saved")
      }
      // One that is open from before is not believed: its key may be destroyed.
      if try store.state(of: place) == .open, granted.contains(wanted.owner) { return .open(place.files) }
    } catch {
      return .failed(error.description)
    }
    let object = mark?.object ?? .random()
    let answer = try KeeperWords.key(
      try call("\(Self.interface).DirectoryKey", KeeperWords.wish(wanted.owner, object, mark?.key)))
    do throws(DirectoryFault) {
      let report = try use(answer, object, for: place, way)
      if case .open = report { granted.insert(wanted.owner) }
      return report
    } catch {
      return .failed(error.description)
    }
  }

  private func use(
    _ answer: KeeperWords.KeyAnswer, _ object: SealedObjectID, for place: DirectoryPlace, _ way: DirectoryWay
  ) throws(DirectoryFault) -> DirectoryReport {
    switch answer {
    case .refused(let error):
      try store.close(place)
      return .failed("the daemon gave no key: \(error)")
    case .destroyed:
      // Nobody will ever read it again. The next look makes a new one.
      try store.remove(place)
      return .opening
    case .key(let key, let id):
      try store.open(place, by: DirectoryMark(way: way, key: id, object: object), key: key)
      return .open(place.files)
    }
  }

  private mutating func tell(_ owner: KeyOwner, _ report: DirectoryReport) throws(ClientError) {
    say(report)
    guard told[owner] != report else { return }
    _ = try call("\(Self.interface).NoteDirectory", KeeperWords.note(owner, report))
    told[owner] = report
  }

  private mutating func say(_ report: DirectoryReport) {
    guard case .failed(let problem) = report, printed.insert(problem).inserted else { return }
    StandardError.say("webviewguard: \(problem.escapedForDisplay)")
  }

  private func call(_ method: String, _ parameters: JSONTree) throws(ClientError) -> VarlinkReply {
    var client = try VarlinkClient(connectingTo: socket, patience: Self.patience)
    try client.send(method, try CallText(parameters))
    return try client.receive(until: Deadline(after: Self.patience))
  }
}

/// A directory that has to be open.
struct WantedDirectory: Sendable, Hashable {
  let owner: KeyOwner
  /// The account under its other ids, under which it may have had a directory.
  let formers: [KeyOwner]
  let way: DirectoryWay
}

/// What became of a directory.
enum DirectoryReport: Sendable, Hashable {
  /// It is closed.
  case none
  case opening
  case open(String)
  case failed(String)
}
