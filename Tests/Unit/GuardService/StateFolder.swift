import Foundation
import GuardModel
import GuardService
import PolicyEngine
import Testing

/// A place for one test's state.
final class StateFolder: Sendable {
  let place: StatePlace
  let doubt: DoubtMark

  init() throws {
    let path = "/tmp/wvg-state-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    place = StatePlace(directory: path + "/deep/state")
    doubt = DoubtMark(path: path + "/state.doubt")
  }

  deinit {
    let root = URL(fileURLWithPath: place.directory).deletingLastPathComponent().deletingLastPathComponent()
    try? FileManager.default.removeItem(at: root)
  }

  func open(boot: String = "boot") throws -> OpenedState { try OpenedState(at: place, doubt: doubt, boot: boot) }

  /// Makes the file one of an earlier version.
  func age(to version: Int) throws {
    let additions = [
      ["exception"], ["page"], ["proposal"],
      ["account", "signIn", "condition", "wipe", "wipePart", "wipeClock", "wiped", "remediation"],
    ]
    let tables = additions.dropFirst(version - 1).joined().map { "DROP TABLE \($0);" }.joined()
    let columns = (version < 4 ? ["lost", "doubted", "formats", "since"] : []).flatMap { column in
      ["selection", "issued"].map { "ALTER TABLE \($0) DROP COLUMN \(column);" }
    }
    try run(tables + columns.joined() + "PRAGMA user_version = \(version);")
  }

  /// Writes one of everything.
  func fill(boot: String = "boot") throws {
    var clip = KeptClip()
    clip.owner = .account(names: ["work@contoso.com", "6d5c"])
    clip.app = "com.contoso.portal"
    clip.holder = 1
    clip.length = 7
    clip.id = ClipID(epoch: 42, number: 1)
    var records = StateRecords()
    records.latest = 1_700_000_000_000
    records.clips.selections[SelectionPlace(uid: 1000, display: [], selection: .clipboard)] = KeptSelection(clip: clip)
    records.clips.issued[ClipSlot(uid: 1000, index: 0)] = clip
    records.clips.budgets[1000] = ClipBudget(minute: 28_333_333, used: 12)
    records.instances["token"] = KeptInstance(uid: 1000, app: "com.contoso.portal", serial: 1, record: 3)
    let viewer = PagePlace(uid: 1000, app: "com.contoso.portal", instance: 1, viewer: Array("v1".utf8))
    records.clips.pages.pages[viewer] = .some(KeptPage(showsExternal: true))
    let writer = try #require(try open(boot: boot).writer)
    writer.submit(records, through: 1)
    #expect(writer.stop().failure == nil)
  }

  /// Writes accounts in each state of their life, and the word of a source.
  func fillAccounts() throws {
    var records = StateRecords()
    for (name, member) in Self.members { records.clips.accounts.members[Self.place(name)] = .some(member) }
    let names = SignedInAccount(upn: "work@contoso.com", objectID: "6d5c")
    records.clips.accounts.words[KeptWordPlace(person: 1000, source: .broker)] = KeptWord(
      accounts: [names], time: 1_700_000_000_000)
    records.clips.accounts.remediations = [
      KeptRemediation(
        request: "look-2a-7", person: 1000, app: "com.contoso.portal", account: "work@contoso.com", isSilent: true,
        askedAt: 1_700_000_000_004)
    ]
    let writer = try #require(try open().writer)
    writer.submit(records, through: 1)
    #expect(writer.stop().failure == nil)
  }

  static func place(_ account: String) -> KeptMemberPlace {
    KeptMemberPlace(person: 1000, app: "com.contoso.portal", account: account)
  }

  /// Accounts by their state.
  static let members: [String: KeptMember] = Dictionary(
    uniqueKeysWithValues: KeptMember.Status.allCases.map { status in
      (
        "\(status)@contoso.com",
        KeptMember(
          status, isByApp: true, registeredAt: 1_700_000_000_000,
          enrolledAt: status == .enrolled ? 1_700_000_000_001 : nil, checkedInAt: 1_700_000_000_002,
          triedAt: 1_700_000_000_003)
      )
    })

  /// Runs SQL on the file.
  func run(_ statements: String) throws {
    let python = Process()
    python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    python.arguments = [
      "-c", "import sqlite3,sys\nwith sqlite3.connect(sys.argv[1]) as f: f.executescript(sys.argv[2])", place.file,
      statements,
    ]
    try python.run()
    python.waitUntilExit()
    #expect(python.terminationStatus == 0)
  }

  func overwrite(at offset: UInt64, _ bytes: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: place.file))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }
}
