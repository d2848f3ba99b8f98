internal import Bytes
internal import Glibc
internal import Platform
internal import WebViewGuardClient

/// A file of an account that a web engine writes by itself, such as a download. The engine writes it to `path`; then `keep`
/// puts it in its place, or `discard` removes it. A label and a key are there before the engine begins, so `keep` asks nobody.
public final class IncomingFile {
  /// Where the engine writes.
  public let path: String
  /// The owner that the file will have.
  public let owner: OwnerOfFile
  /// It will be sealed.
  public let isSealed: Bool

  /// Both are nil for a file that is written in its place, and after its end.
  private var stored: StoredFile?
  private var place: PrivatePlace?

  nonisolated(nonsending) init(_ storage: FileStorage, _ path: String, _ account: String?, _ size: Int?) async throws {
    let file = try WholeFile(at: path, .replacing, hasOwnAttributes: true)
    let folder = FileStorage.directory(of: path)
    let said = try await storage.owned(file.descriptor, by: account, at: path)
    owner = said.owner
    guard said.owner.isManaged else {
      (self.path, isSealed) = (path, false)
      return
    }
    let stored = try await storage.begin(file, said, folder)
    isSealed = stored.isSealed
    // A file that will lie in plain may do so beside its place. Any other should not reach the disk at all.
    let place = try PrivatePlace(in: stored.isSealed ? PrivatePlace.memory(size) : folder, label: said.label)
    self.path = place.directory + "/" + FileStorage.name(of: path)
    (self.stored, self.place) = (stored, place)
  }

  /// Puts the whole file in its place, as its policy wants it; on an error nothing is there.
  public nonisolated(nonsending) func keep() async throws(FileProtectionError) {
    guard let stored else { return }
    defer { discard() }
    try await naming {
      let file = try OpenFile.reading(path, followsLink: false)
      try await stored.copy(file.descriptor, named: path)
      try stored.commit()
    }
  }

  /// Nothing of it stays. Harmless after `keep`.
  public func discard() { (stored, place) = (nil, nil) }
}

/// A file for something that reads files by their paths, such as a web engine: `path` is the file itself, or for a sealed one
/// a copy that is unsealed, and goes with this. `facts` belong into the event, which comes first.
public final class ReadableFile {
  /// The members of the event about it.
  public let facts: FileLabelFacts
  /// Only a program of the account can read the file itself.
  public let isSealed: Bool
  private let storage: FileStorage
  private let file: String
  private var place: PrivatePlace?

  nonisolated(nonsending) init(_ storage: FileStorage, _ path: String) async throws {
    (self.storage, file) = (storage, path)
    let source = try OpenFile.reading(path)
    var facts = try FileLabelFacts(of: source.descriptor)
    var id: String?
    if source.status?.size != 0, case .sealed(let account, _, _)? = try ProtectionInfo(ofFile: path) { id = account }
    isSealed = id != nil
    if let id, facts.label == nil { facts.label = try await Self.lostLabel(id, storage, source.descriptor) }
    self.facts = facts
  }

  /// The label that a sealed file had: its envelope names its account.
  private nonisolated(nonsending) static func lostLabel(
    _ id: String, _ storage: FileStorage, _ descriptor: Int32
  ) async throws -> String {
    guard let account = try await storage.account(ofID: id) else { return "" }
    let said = try await storage.given(descriptor, to: account, known: ["store": "attribute"])
    return said.label.map { String(lowerCaseHex: $0.span) } ?? ""
  }

  /// Where it can be read; asks for the key of a sealed file when it is first called.
  public nonisolated(nonsending) func path() async throws(FileProtectionError) -> String {
    guard isSealed else { return file }
    if place == nil { place = try await naming { try await copied() } }
    return (place?.directory ?? "") + "/" + FileStorage.name(of: file)
  }

  /// Removes the copy.
  public func close() { place = nil }

  /// The copy is labelled before its first byte.
  private nonisolated(nonsending) func copied() async throws -> PrivatePlace {
    let reader = try await storage.client.sealing.open(file)
    let label = facts.label.flatMap { [UInt8](lowerCaseHex: $0.utf8.span) }
    let place = try PrivatePlace(in: PrivatePlace.memory(reader.size), label: label)
    let copy = try OpenFile.creating(place.directory + "/" + FileStorage.name(of: file))
    if let label { _ = LabelAttribute.set(label, of: copy.descriptor) }
    try reader.readAll { piece in
      guard Stream.write(piece, to: copy.descriptor) else { throw SystemError("write", copy.path) }
    }
    return place
  }
}
