import FuzzSupport
import EmbeddedGuard
import TestSupport

/// Programs that tell the truth, of users of their own, beside clients that do as they like: nothing that those do, and no
/// restart and reload, makes the guard of these weaker, or gets in the way of who has nothing to hide.
struct HonestPrograms {
  private let daemon: EmbeddedGuard
  private var starts: Int
  /// Where the organisation's data is copied, and where none is.
  private var desks: [ClipDesk<WireClips>?] = [nil, nil]
  private var reader: PageReader<WirePages>?
  private var people: AccountPeople?

  private static let firstUser: UInt32 = 4

  init(_ daemon: EmbeddedGuard) { (self.daemon, starts) = (daemon, daemon.starts) }

  mutating func step(_ choices: inout ByteReader) {
    do {
      switch choices.below(5) {
      case 0: try use(0, &choices)
      case 1: try use(1, &choices)
      case 2: try read(&choices)
      default: try live(&choices)
      }
    } catch {
      require(false, "programs can go on: \(error)")
    }
  }

  private mutating func use(_ place: Int, _ choices: inout ByteReader) throws {
    var desk = try desks[place] ?? newDesk(place)
    try desk.happen(&choices)
    let paste = try desk.paste(&choices)
    require(paste.breach == nil, paste.breach ?? "")
    desks[place] = desk
  }

  private func newDesk(_ place: Int) throws -> ClipDesk<WireClips> {
    try ClipDesk(WireClips(daemon, uid: Self.firstUser + UInt32(place)), isPrivate: place == 1)
  }

  private mutating func read(_ choices: inout ByteReader) throws {
    var reading = try reader ?? PageReader(WirePages(daemon, uid: Self.firstUser + 2))
    try reading.step(&choices)
    require(reading.leaks.isEmpty, reading.leaks.first ?? "")
    reader = reading
  }

  private mutating func live(_ choices: inout ByteReader) throws {
    var people = try self.people ?? AccountPeople(daemon)
    // A wipe is a matter of several steps.
    for _ in 0..<4 { try people.step(&choices) }
    self.people = people
  }

  /// All come back at once to a daemon that was restarted; true when it was.
  mutating func comeBack() -> Bool {
    guard starts != daemon.starts else { return false }
    starts = daemon.starts
    do {
      for place in desks.indices { try desks[place]?.world.comeBack() }
      try people?.comeBack()
      if reader?.world.isLost ?? false { try reader?.restart(asItself: true) }
    } catch {
      require(false, "programs come back: \(error)")
    }
    return true
  }

  func close() {
    for desk in desks { desk?.world.close() }
    reader?.world.close()
    people?.close()
  }
}
