internal import Bytes
internal import Glibc
internal import GuardModel
internal import Platform
internal import Secrets
internal import WebViewGuardClient

/// Stores files of all accounts of an app as their policy wants them: labelled before the first byte, and sealed unless they
/// lie encrypted anyway.
struct FileStorage: Sendable {
  let client: GuardClient

  /// Says who owns an open file that was just created.
  typealias Labelling = nonisolated(nonsending) (_ descriptor: Int32) async throws -> LabelledFile

  /// Begins a new file at the place of an old one.
  ///
  /// - Throws: 102 where neither a label nor a seal can keep its owner.
  nonisolated(nonsending) func begin(
    _ file: WholeFile, _ said: LabelledFile, _ directory: String
  ) async throws -> StoredFile {
    let hasLabel = said.label.map { LabelAttribute.set($0, of: file.descriptor) } ?? true
    guard try await mustSeal(said, hasLabel: hasLabel, in: directory) else { return StoredFile(file, said, nil) }
    guard let account = said.owner.account else {
      throw FileProtectionError(.encryptFailed, "nobody can say whose the file is, and it may not be stored in plain")
    }
    return StoredFile(file, said, try await client.sealing.writer(account: account) { try file.write($0) })
  }

  /// Whether a file has to be sealed.
  nonisolated(nonsending) func mustSeal(
    _ said: LabelledFile, hasLabel: Bool, in directory: String
  ) async throws -> Bool {
    if said.mustSeal || !hasLabel { return true }
    let owner = said.owner
    guard owner.isManaged, owner.mustEncrypt || owner.account == nil else { return false }
    return try await !liesEncrypted(owner.account, in: directory)
  }

  /// Whether what is written there is encrypted in the way that the policy asks for. This machine is looked at: the word
  /// `volume` is no proof, and neither is a path.
  private nonisolated(nonsending) func liesEncrypted(_ account: String?, in directory: String) async throws -> Bool {
    guard let account, let real = Self.real(directory) else { return false }
    let way = try await way(of: account)
    if way == .volume { return VolumeEncryption.of(real).isCertain }
    guard way.isDirectory, let own = await self.directory(of: account) else { return false }
    return (real == own || real.hasPrefix(own + "/")) && VolumeEncryption.of(real).isCertain
  }

  /// How the account's files have to be encrypted; where nobody says, they are sealed.
  nonisolated(nonsending) func way(of account: String) async throws -> FileEncryption {
    let listed = try await client.accounts.list().accounts
    return listed.first { NamedAccount.areSame($0.account, account) }?.encryption ?? .envelope
  }

  /// Where the account's files are encrypted as they are written; nil while there is no such place.
  nonisolated(nonsending) func directory(of account: String) async -> String? {
    let parameters: [String: GuardValue] = ["account": .string(account)]
    let said = GuardValue.object((try? await client.call(Self.interface + "OpenDirectory", parameters)) ?? [:])
    guard said["state"]?.string == AccountDirectoryState.open.rawValue else { return nil }
    return said["path"]?.string.flatMap(Self.real)
  }

  /// The managed account whose id an envelope names.
  nonisolated(nonsending) func account(ofID id: String) async throws -> String? {
    for listed in try await client.accounts.list().accounts where listed.isManaged {
      let object = SecretBytes.random(32).withBytes { String(lowerCaseHex: Array($0).span) }
      let reply = try? await client.accounts.dataKeyReply(
        account: listed.account, use: "write", object: object, keyID: nil)
      if reply?.accountID == id { return listed.account }
    }
    return nil
  }

  // MARK: What the daemon says

  private static let interface = "org.webviewguard.Accounts."

  /// The owner of a file that was just created: the account that the program's files belong to.
  nonisolated(nonsending) func newLabel(_ descriptor: Int32, at path: String) async throws -> LabelledFile {
    var members = try Self.place(descriptor)
    members["directory"] = try Self.directoryLabel(path).map { .string($0) }
    return try LabelledFile(reading: try await client.call(Self.interface + "FileCreated", members))
  }

  /// Gives a file to an account.
  nonisolated(nonsending) func given(
    _ descriptor: Int32, to account: String, known: [String: GuardValue] = [:]
  ) async throws -> LabelledFile {
    let said = try Self.place(descriptor).merging(known) { _, known in known }
    let members = said.merging(["account": .string(account)]) { own, _ in own }
    return try LabelledFile(reading: try await client.call(Self.interface + "SetOwner", members))
  }

  nonisolated(nonsending) func owner(_ known: [String: GuardValue]) async throws -> OwnerOfFile {
    try OwnerOfFile(reading: try await client.call(Self.interface + "ReadLabel", known))
  }

  /// The label of a new file of an account. One that is nobody's belongs to the owner of its directory.
  nonisolated(nonsending) func owned(
    _ descriptor: Int32, by account: String?, at path: String
  ) async throws -> LabelledFile {
    if let account, !account.isEmpty {
      do {
        let said = try await given(descriptor, to: account)
        if said.owner.isManaged { return said }
      } catch let error as GuardError {
        // An account that the policy does not manage owns no file.
        guard case .refused(let refusal) = error, refusal.word == "NotManaged" else { throw error }
      }
    }
    guard let above = try Self.directoryLabel(path) else { return LabelledFile(OwnerOfFile(.unmanaged)) }
    let owner = try await owner(["label": .string(above)])
    if let account = owner.account { return try await given(descriptor, to: account) }
    return LabelledFile(owner, label: owner.isManaged ? LabelAttribute.broken : nil)
  }

  // MARK: Paths

  private static func place(_ descriptor: Int32) throws -> [String: GuardValue] {
    let facts = try FileLabelFacts(of: descriptor)
    var members: [String: GuardValue] = ["store": .string(facts.store.rawValue)]
    members["file"] = facts.file.map { .string($0) }
    return members
  }

  /// The label of the directory that an entry lies in; nil for none.
  static func directoryLabel(_ path: String) throws -> String? { try FileLabelFacts(ofPath: directory(of: path)).label }

  /// The directory that an entry lies in, behind the links that the path leads over.
  static func directory(of path: String) -> String {
    let path = real(path) ?? path
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last name of a path.
  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// Without links; nil where nothing is.
  static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}

/// A file that is being stored: it appears at its place with `commit`, whole or not at all.
final class StoredFile {
  let said: LabelledFile
  private let file: WholeFile
  /// Nil where it may lie in plain.
  private let sealed: SealedWriter?

  init(_ file: WholeFile, _ said: LabelledFile, _ sealed: SealedWriter?) {
    (self.file, self.said, self.sealed) = (file, said, sealed)
  }

  var isSealed: Bool { sealed != nil }

  func write(_ bytes: Span<UInt8>) throws { if let sealed { try sealed.write(bytes) } else { try file.write(bytes) } }

  func commit() throws {
    try sealed?.finish()
    try file.commit()
  }

  /// Takes over the rest of an open file, and lets other tasks run now and then.
  nonisolated(nonsending) func copy(_ descriptor: Int32, named name: String) async throws {
    var piece = [UInt8](repeating: 0, count: Self.piece)
    while true {
      let count = Stream.read(descriptor, into: &piece)
      guard count >= 0 else { throw SystemError("read", name) }
      if count == 0 { return }
      try write(piece.span.extracting(..<count))
      await Task.yield()
    }
  }

  static let piece = 1 << 18
}
