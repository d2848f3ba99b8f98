import Dispatch
import Foundation
import GuardModel
import GuardService
import PolicyEngine
import TestSupport
import Testing

/// The state file: what goes in comes out, and what cannot be trusted is lost, loudly.
@Suite struct StateFileTests {
  @Test func everythingWrittenIsReadAgain() throws {
    var random = SeededGenerator()
    for _ in 0..<40 {
      let folder = try StateFolder()
      let opened = try folder.open()
      #expect(opened.loss == nil && opened.records.isEmpty)
      let writer = try #require(opened.writer)
      var all = StateRecords()
      for number in 1...20 {
        let changes = StateRecords.random(&random)
        all.merge(changes)
        writer.submit(changes, through: UInt64(number))
      }
      #expect(writer.stop().failure == nil)
      all.instances = all.instances.filter { $0.value != nil }
      all.clips.pages.pages = all.clips.pages.pages.filter { $0.value != nil }
      all.clips.pages.ended = []
      all.clips.accounts.members = all.clips.accounts.members.filter { $0.value != nil }
      // An empty list is none.
      if all.clips.accounts.remediations == [] { all.clips.accounts.remediations = nil }
      all.exceptions = all.exceptions.filter { $0.value != nil }
      let again = try folder.open()
      #expect(again.loss == nil)
      #expect(again.records == all, "\(random.note)")
    }
  }

  @Test func anotherBootForgetsAllButTheTime() throws {
    let folder = try StateFolder()
    try folder.fill()
    let again = try folder.open(boot: "another")
    #expect(again.loss == nil)
    #expect(again.records.latest == 1_700_000_000_000)
    #expect(again.records.clips.isEmpty && again.records.instances.isEmpty)
    _ = again.writer?.stop()
    #expect(try folder.open(boot: "another").records.latest == 1_700_000_000_000)
  }

  /// Accounts are enrolled for months, not for a boot.
  @Test func anotherBootKeepsAccounts() throws {
    let folder = try StateFolder()
    try folder.fillAccounts()
    let kept = try folder.open(boot: "another").records.clips.accounts
    #expect(kept.members == Dictionary(uniqueKeysWithValues: StateFolder.members.map { (StateFolder.place($0), $1) }))
    #expect(kept.words.values.map(\.accounts) == [[SignedInAccount(upn: "work@contoso.com", objectID: "6d5c")]])
    #expect(kept.remediations?.map(\.request) == ["look-2a-7"])
  }

  /// It may lack that an app ended an access, or that a person signed out: only the ends are believed.
  @Test func aFileThatIsNotBelievedKeepsOnlyEndedAccounts() throws {
    let folder = try StateFolder()
    try folder.fillAccounts()
    folder.doubt.set()
    let ended = StateFolder.place("ended@contoso.com")
    let opened = try folder.open()
    #expect(Array(opened.records.clips.accounts.members.keys) == [ended])
    #expect(opened.records.clips.accounts.words.isEmpty && opened.records.clips.accounts.remediations == nil)
    var changes = StateRecords()
    changes.latest = 1_700_000_000_001
    opened.writer?.submit(changes, through: 1)
    #expect(opened.writer?.stop().failure == nil)
    let again = try folder.open()
    #expect(again.loss == nil)
    #expect(Array(again.records.clips.accounts.members.keys) == [ended])
    #expect(again.records.clips.accounts.words.isEmpty)
  }

  @Test func aFileOfTheVersionBeforeAccountsIsTakenOver() throws {
    let folder = try StateFolder()
    try folder.fill()
    try folder.age(to: 4)
    let opened = try folder.open()
    #expect(opened.loss == nil)
    #expect(opened.records.clips.accounts.isEmpty && !opened.records.clips.isEmpty)
    #expect(opened.writer?.stop().failure == nil)
    try folder.fillAccounts()
    #expect(try folder.open().records.clips.accounts.members.count == StateFolder.members.count)
  }

  // MARK: Locks

  private static let wipe = KeptWipe(
    id: "w-2a-1", person: 1000, app: nil, names: ["work@contoso.com"], cause: .admin, reason: "left", phase: .asking,
    beganAt: 1_700_000_000_000, ran: 9, delay: 5, neededApprovals: 1, approvals: [500], parts: [])

  private func folderWithLocks() throws -> StateFolder {
    let folder = try StateFolder()
    try folder.fillAccounts()
    var records = StateRecords()
    records.clips.accounts.wipes = KeptWipes()
    records.clips.accounts.wipes?.wipes = [Self.wipe]
    let writer = try #require(try folder.open().writer)
    writer.submit(records, through: 1)
    #expect(writer.stop().failure == nil)
    return folder
  }

  private func expectLocks(_ opened: OpenedState, _ how: String) {
    let accounts = opened.records.clips.accounts
    #expect(Array(accounts.members.keys) == [StateFolder.place("ended@contoso.com")], "\(how)")
    #expect(accounts.wipes?.wipes.map(\.id) == ["w-2a-1"] && accounts.wipes?.wipes.first?.phase == .pending, "\(how)")
    #expect(accounts.words.isEmpty && opened.lockLoss == nil, "\(how)")
  }

  /// A state file that is lost loses no lock: not at the next start, and not at the one after it.
  @Test(arguments: ["damaged", "removed", "doubted"])
  func aLostFileLosesNoLock(_ how: String) throws {
    let folder = try folderWithLocks()
    switch how {
    case "damaged": try Data(repeating: 0x78, count: 9000).write(to: URL(fileURLWithPath: folder.place.file))
    case "removed": try FileManager.default.removeItem(atPath: folder.place.file)
    default: folder.doubt.set()
    }
    for suffix in ["-wal", "-shm"] where how != "doubted" {
      try? FileManager.default.removeItem(atPath: folder.place.file + suffix)
    }
    let opened = try folder.open()
    #expect((opened.loss == nil) == (how == "removed"))
    expectLocks(opened, how)
    #expect(opened.writer?.stop().failure == nil)
    let again = try folder.open(boot: "another")
    #expect(again.loss == nil)
    expectLocks(again, "\(how), again")
  }

  /// The start that brings both files together takes nothing away from the state.
  @Test func startsChangeNoAccount() throws {
    let folder = try folderWithLocks()
    let members = Dictionary(uniqueKeysWithValues: StateFolder.members.map { (StateFolder.place($0), $1) })
    for start in 1...3 {
      let opened = try folder.open()
      #expect(opened.records.clips.accounts.members == members, "start \(start)")
      #expect(opened.records.clips.accounts.wipes?.wipes.map(\.id) == ["w-2a-1"], "start \(start)")
      #expect(opened.writer?.stop().failure == nil)
    }
  }

  /// An access that the app took up again is no lock any more.
  @Test func aLockThatEndedDoesNotComeBack() throws {
    let folder = try folderWithLocks()
    var records = StateRecords()
    records.clips.accounts.wipes = KeptWipes()
    let place = StateFolder.place("ended@contoso.com")
    records.clips.accounts.members[place] = StateFolder.members["enrolled@contoso.com"].map { .some($0) }
    let writer = try #require(try folder.open().writer)
    writer.submit(records, through: 1)
    #expect(writer.stop().failure == nil)
    try FileManager.default.removeItem(atPath: folder.place.file)
    let accounts = try folder.open().records.clips.accounts
    #expect(accounts.members.isEmpty && accounts.wipes?.wipes == [])
  }

  /// Then an account that was locked works again, and an administrator has to know.
  @Test func theLossOfBothFilesIsSaid() throws {
    let folder = try folderWithLocks()
    for file in [folder.place.file, folder.place.locks.file] {
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
      try Data(repeating: 0x78, count: 9000).write(to: URL(fileURLWithPath: file))
    }
    let opened = try folder.open()
    #expect(opened.records.isEmpty && opened.lockLoss?.contains("neither") == true)
    #expect(opened.writer?.stop().failure == nil)
    #expect(try folder.open().lockLoss == nil)
  }

  /// The copy alone is lost: it is made anew of the state.
  @Test func aDamagedCopyIsMadeAnew() throws {
    let folder = try folderWithLocks()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.place.locks.file + suffix) }
    try Data(repeating: 0x78, count: 9000).write(to: URL(fileURLWithPath: folder.place.locks.file))
    let opened = try folder.open()
    #expect(opened.loss == nil && opened.lockLoss == nil)
    #expect(opened.writer?.stop().failure == nil)
    try FileManager.default.removeItem(atPath: folder.place.file)
    expectLocks(try folder.open(), "of the new copy")
  }

  /// Rows that no daemon writes: the whole file is not believed.
  @Test(arguments: [
    "UPDATE account SET status = 9", "UPDATE account SET byApp = 2", "UPDATE account SET account = ''",
    "UPDATE account SET uid = -1", "UPDATE account SET tried = 0", "UPDATE account SET enrolled = -5",
    "UPDATE account SET registered = 9223372036854775807", "UPDATE signIn SET source = 'portal'",
    "UPDATE signIn SET time = 0", "UPDATE signIn SET uid = 4294967296",
    "UPDATE remediation SET request = ''", "UPDATE remediation SET account = ''", "UPDATE remediation SET silent = 2",
    "UPDATE remediation SET uid = -1", "UPDATE remediation SET asked = 0",
  ])
  func senselessAccountsMakeTheFileWorthless(_ change: String) throws {
    let folder = try StateFolder()
    try folder.fillAccounts()
    let narrowed = change.hasPrefix("UPDATE account") ? " WHERE status = 0" : ""
    try folder.run(change.contains("account = ''") ? change + narrowed : change)
    let opened = try folder.open()
    #expect(opened.loss?.contains("makes no sense") == true, "\(change)")
    #expect(opened.writer != nil)
    // The copy of the locks has the access that has ended.
    #expect(Array(opened.records.clips.accounts.members.keys) == [StateFolder.place("ended@contoso.com")])
  }

  @Test func aBootThatCannotBeReadIsLikeNoOther() throws {
    let folder = try StateFolder()
    try folder.fill(boot: "")
    #expect(try folder.open(boot: "").records.clips.isEmpty)
  }

  @Test func anInstanceThatEndedTakesItsPagesAlong() throws {
    let folder = try StateFolder()
    let writer = try #require(try folder.open().writer)
    let places = [1, 2].map { PagePlace(uid: 7, app: "a", instance: $0, viewer: [0x56]) }
    var records = StateRecords()
    for place in places { records.clips.pages.pages[place] = .some(KeptPage(showsExternal: true)) }
    writer.submit(records, through: 1)
    var ended = StateRecords()
    ended.clips.pages.ended = [1]
    writer.submit(ended, through: 2)
    #expect(writer.stop().failure == nil)
    let kept = try folder.open().records.clips.pages
    #expect(kept.pages == [places[1]: .some(KeptPage(showsExternal: true))] && kept.ended.isEmpty)
  }

  @Test func aFileOfTheSecondVersionIsTakenOver() throws {
    let folder = try StateFolder()
    try folder.fill()
    try folder.age(to: 2)
    let opened = try folder.open()
    #expect(opened.loss == nil && opened.records.instances.count == 1 && opened.records.clips.pages.isEmpty)
    var records = StateRecords()
    records.clips.pages.pages[PagePlace(uid: 7, app: "a", instance: 1, viewer: [])] = .some(.unknown)
    opened.writer?.submit(records, through: 1)
    #expect(opened.writer?.stop().failure == nil)
    #expect(try folder.open().records.clips.pages == records.clips.pages)
  }

  @Test func aFileOfTheThirdVersionKeepsItsClips() throws {
    let folder = try StateFolder()
    try folder.fill()
    let before = try folder.open().records.clips
    try folder.age(to: 3)
    let opened = try folder.open()
    #expect(opened.loss == nil)
    #expect(opened.records.clips.selections == before.selections && opened.records.clips.issued == before.issued)
    var records = StateRecords()
    var selection = KeptSelection()
    selection.proposals = [
      KeptProposal(clip: KeptClip(), id: ProposalID(epoch: 42, number: 7), time: 1_700_000_000_000, hasEcho: true)
    ]
    let place = SelectionPlace(uid: 7, display: [], selection: .clipboard)
    records.clips.selections[place] = selection
    opened.writer?.submit(records, through: 1)
    #expect(opened.writer?.stop().failure == nil)
    #expect(try folder.open().records.clips.selections[place] == selection)
  }

  @Test func itBelongsToItsUserAlone() throws {
    let folder = try StateFolder()
    try folder.fill()
    for (path, mode) in [(folder.place.directory, 0o700), (folder.place.file, 0o600)] {
      let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(permissions as? Int == mode, "\(path)")
    }
  }

  @Test func twoDaemonsDoNotShareIt() throws {
    let folder = try StateFolder()
    let first = try folder.open()
    #expect(throws: StartError.stateInUse(folder.place.file)) { try folder.open() }
    #expect(!folder.doubt.isSet)
    #expect(first.writer?.stop().failure == nil)
  }

  /// A name for a trap, and how it is set.
  @Test(arguments: Trap.all) func whatCannotBeTrustedIsMovedAside(_ trap: Trap) throws {
    let folder = try StateFolder()
    try folder.fill()
    try trap.set(folder)
    let opened = try folder.open()
    #expect(opened.writer != nil)
    #expect(opened.loss?.isEmpty == false)
    #expect(opened.records.isEmpty)
    #expect(opened.writer?.stop().failure == nil)
    #expect(try folder.open().loss == nil, "the new file is sound")
    #expect(folder.place.setAside.count <= 1, "what was there is kept, unless nothing was")
  }

  /// Bits that fell over: lost, or read as something that the schema allows; never an end of the daemon.
  @Test func aFileOfAnyBytesEndsNoDaemon() throws {
    var random = SeededGenerator()
    let folder = try StateFolder()
    try folder.fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.place.file))
    var lost = 0
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0...random.below(8) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
      if random.oneIn(4) { bytes = bytes.prefix(random.below(bytes.count)) }
      try bytes.write(to: URL(fileURLWithPath: folder.place.file))
      let opened = try folder.open()
      if opened.loss != nil { lost += 1 }
      #expect(opened.writer?.stop().failure == nil, "\(random.note)")
    }
    #expect(lost > 50, "\(lost)")
    #expect((1...4).contains(folder.place.setAside.count), "the last of them are kept")
  }

  @Test func withoutADirectoryNothingIsKept() throws {
    let folder = try StateFolder()
    let opened = try OpenedState(at: StatePlace(directory: "/dev/null/state"), doubt: folder.doubt, boot: "b")
    #expect(opened.writer == nil)
    #expect(opened.loss?.contains("/dev/null") == true)
    #expect(folder.doubt.isSet, "what this daemon answers is in no file")
  }

  @Test func aDirectoryThatOthersWriteIsRefused() throws {
    let folder = try StateFolder()
    try folder.fill()
    chmod(folder.place.directory, 0o777)
    let opened = try folder.open()
    #expect(opened.writer == nil)
    #expect(opened.records.isEmpty)
  }

  @Test func theMarkMakesTheFileWorthless() throws {
    let folder = try StateFolder()
    try folder.fill()
    folder.doubt.set()
    let opened = try folder.open()
    #expect(opened.records.clips.isEmpty && opened.records.instances.isEmpty)
    #expect(opened.records.latest == 1_700_000_000_000, "a clock that was once that late is no earlier now")
    #expect(opened.loss?.isEmpty == false)
    #expect(!folder.doubt.isSet)
    #expect(opened.writer?.stop().failure == nil)
    let again = try folder.open()
    #expect(again.loss == nil && again.records.clips.isEmpty)
  }

  /// Whatever a second daemon thinks of the file, it is the first one's.
  @Test func aFileInUseIsNotMovedAside() throws {
    let folder = try StateFolder()
    try folder.fill()
    let first = try folder.open()
    folder.doubt.set()
    chmod(folder.place.file, 0o666)
    #expect(throws: StartError.stateInUse(folder.place.file)) { try folder.open() }
    #expect(folder.place.setAside.isEmpty)
    #expect(first.writer?.stop().failure == nil)
  }

  @Test func aFileThatWasReplacedIsToldOf() throws {
    let folder = try StateFolder()
    let writer = try #require(try folder.open().writer)
    let copy = folder.place.file + ".copy"
    try FileManager.default.copyItem(atPath: folder.place.file, toPath: copy)
    try FileManager.default.removeItem(atPath: folder.place.file)
    try FileManager.default.moveItem(atPath: copy, toPath: folder.place.file)
    var records = StateRecords()
    records.latest = 1
    writer.submit(records, through: 1)
    let progress = writer.stop()
    #expect(progress.settled == 1, "the mark tells of it")
    #expect(progress.failure?.contains("another file") == true)
    #expect(folder.doubt.isSet)
    #expect(try folder.open().loss?.isEmpty == false)
  }

  /// An answer that neither the file nor the mark knows of may not leave.
  @Test func withoutFileAndMarkNothingIsSettled() throws {
    let folder = try StateFolder()
    let nowhere = DoubtMark(path: folder.place.directory + "/missing/state.doubt")
    let writer = try #require(try OpenedState(at: folder.place, doubt: nowhere, boot: "boot").writer)
    try FileManager.default.removeItem(atPath: folder.place.file)
    var records = StateRecords()
    records.latest = 1
    writer.submit(records, through: 1)
    let progress = writer.stop()
    #expect(progress.settled == 0)
    #expect(progress.failure?.hasSuffix("answers wait") == true)
  }

  /// Numbers that are counted on from: the next daemon would end where they do.
  @Test(arguments: ExtremeNumber.allCases) func aNumberWithoutASuccessorMakesTheFileWorthless(_ number: ExtremeNumber)
    throws
  {
    let folder = try StateFolder()
    let writer = try #require(try folder.open().writer)
    writer.submit(number.records, through: 1)
    #expect(writer.stop().failure == nil)
    let opened = try folder.open()
    #expect(opened.loss?.contains("makes no sense") == true)
    #expect(opened.records.isEmpty && opened.writer != nil)
  }

  /// Answers wait for a set by its number, also for an empty one that comes while another is being written.
  @Test func anEmptySetIsSettledToo() throws {
    let folder = try StateFolder()
    let writer = try #require(try folder.open().writer)
    let settled = Locked<UInt64>(0)
    let news = DispatchSemaphore(value: 0)
    writer.tell { progress in
      settled.withLock { $0 = progress.settled }
      news.signal()
    }
    for number in UInt64(1)...200 {
      var changes = StateRecords()
      changes.latest = 1_700_000_000_000 + number
      writer.submit(changes, through: 2 * number - 1)
      if number.isMultiple(of: 2) { usleep(50) }
      writer.submit(StateRecords(), through: 2 * number)
      while settled.withLock({ $0 }) < 2 * number {
        try #require(news.wait(timeout: .now() + 60) == .success, "nobody settles set \(2 * number)")
      }
    }
    #expect(writer.stop().settled == 400)
  }
}
