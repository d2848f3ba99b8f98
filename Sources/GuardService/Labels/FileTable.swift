package import AccountKeys

/// The owners of files on file systems that keep no label, for one person after the other (ledger FO-01; docs/labels.md).
///
/// A file is known by facts that its person's programs state: file system, handle and time of birth. So a program that lies
/// makes another file of its own person managed, and no file of anybody unmanaged: no entry ever goes. A full table refuses,
/// since an entry that had to make room would be a file that is nobody's from then on.
package struct FileTable: Sendable {
  fileprivate struct Person: Sendable {
    /// Each account once: a million entries have few.
    var owners: [AccountTag] = []
    var files: [SixteenBytes: UInt32] = [:]
  }

  private var persons: [UInt32: Person] = [:]

  /// Maximum files of one person. A million of them take 40 MB.
  package static let mostFiles = 1_000_000

  /// The key of a file: of its facts the first 16 bytes of SHA-256("webviewguard file facts v1" 0x00 FACTS).
  package static func key(of facts: String) -> SixteenBytes {
    SixteenBytes(hashing: "webviewguard file facts v1\u{0}\(facts)")
  }

  package func owner(of file: SixteenBytes, _ person: UInt32) -> AccountTag? {
    guard let person = persons[person], let owner = person.files[file] else { return nil }
    return person.owners[Int(owner)]
  }

  package func count(of person: UInt32) -> Int { persons[person]?.files.count ?? 0 }

  /// Whether the file has an entry, or may get one.
  package func hasRoom(for file: SixteenBytes, of person: UInt32, most: Int = FileTable.mostFiles) -> Bool {
    count(of: person) < most || owner(of: file, person) != nil
  }

  /// Notes an owner; false when the table knew it.
  @discardableResult
  package mutating func note(_ owner: AccountTag, of file: SixteenBytes, _ person: UInt32) -> Bool {
    guard self.owner(of: file, person) != owner else { return false }
    persons[person, default: Person()].note(owner, of: file)
    return true
  }

  /// Takes up what an earlier daemon kept.
  package init(_ kept: [FilePlace: AccountTag] = [:]) {
    // A table that grows leaves its smaller ones behind.
    var counts: [UInt32: Int] = [:]
    for place in kept.keys { counts[place.person, default: 0] += 1 }
    for (person, count) in counts { persons[person, default: Person()].files.reserveCapacity(count) }
    for (place, owner) in kept { note(owner, of: place.file, place.person) }
  }
}

extension FileTable.Person {
  fileprivate mutating func note(_ owner: AccountTag, of file: SixteenBytes) {
    let known = owners.firstIndex(of: owner)
    if known == nil { owners.append(owner) }
    files[file] = UInt32(known ?? owners.count - 1)
  }
}

/// A row of the table.
package struct FilePlace: Sendable, Hashable {
  let person: UInt32
  let file: SixteenBytes

  package init(person: UInt32, file: SixteenBytes) { (self.person, self.file) = (person, file) }
}

extension StateStore {
  func write(_ files: [FilePlace: AccountTag]) throws(SQLiteError) {
    guard !files.isEmpty else { return }
    var save = try database.prepare("INSERT OR REPLACE INTO file (uid, file, account) VALUES (?,?,?)")
    for (place, owner) in files {
      save.bind(Int64(place.person))
      save.bind(place.file.bytes)
      save.bind(owner.value.bytes)
      try save.run()
    }
  }

  func readFiles(_ records: inout StateRecords) throws(SQLiteError) {
    let counting = try database.prepare("SELECT count(*) FROM file")
    if try counting.step(), let count = counting.number(0) { records.files.reserveCapacity(Int(count)) }
    let rows = try database.prepare("SELECT uid, file, account FROM file")
    while try rows.step() {
      guard let person = rows.uid(0), let file = rows.bytes(1).flatMap(SixteenBytes.init(bytes:)),
        let account = rows.bytes(2).flatMap(SixteenBytes.init(bytes:))
      else { throw .senseless("file") }
      records.files[FilePlace(person: person, file: file)] = AccountTag(account)
    }
  }
}
