internal import AccountKeys
internal import ArgumentParser
internal import JSONText
internal import Platform
internal import PolicyEngine
internal import PolicyFiles
internal import PolicyTools
internal import Secrets
internal import WebViewGuardSealing

/// `account escrow unseal`: a file of a machine that is lost.
struct EscrowUnsealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unseal", abstract: "Open a sealed file with the private key. Asks no daemon.",
    discussion: """
      As `unseal`, with the key out of the copies in place of the daemon's: also of a machine that is lost, and of an account \
      whose key a wipe destroyed. No log has it. Ends with 1 when no copy is of the file's key, or the file is damaged.
      """)

  @Argument(help: "The file, or `-` for standard input.", completion: .file())
  var file: String

  @Option(help: "The file of the private key.", completion: .file())
  var key: String

  @Option(help: "The directory of the copies, or one of them.", completion: .file())
  var copies: String

  @OptionGroup var target: SealingTarget

  func run() async throws {
    let source = EscrowCopies.source(try EscrowCopies.all(in: copies), try EscrowFiles.privateKey(key))
    try await SealingWork.explain(file) {
      try await SealingCopy(file, target).unseal(by: Sealing(keys: source))
    }
  }
}

/// `account escrow hand-over`: copies for one machine.
struct EscrowHandOverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hand-over", abstract: "Seal copies to one machine, which can then have the keys. Asks no daemon.",
    discussion: """
      The machine's key is the `import key` of `account escrow show` there. Only that machine's daemon can open the new \
      copies, by `account escrow recover`.
      """)

  @OptionGroup var copies: EscrowCopies

  @Option(help: "The file of the private key.", completion: .file())
  var key: String

  @Option(help: "The import key of the machine.")
  var to: String

  @Option(help: "Only the copies of this account, by the name under which its data was sealed.")
  var account: String?

  @Option(name: .shortAndLong, help: "An existing directory for the new copies.", completion: .directory)
  var output: String

  @OptionGroup var options: FormatOptions

  func run() throws {
    guard let machine = EscrowPublicKey(text: to) else {
      throw CommandFailure("`\(to.escapedForDisplay)` is no import key; take the text of `account escrow show`, whole")
    }
    let key = try EscrowFiles.privateKey(key)
    let wanted = account.map(EscrowCopies.tag)
    let found = try copies.all().filter { wanted == nil || $0.copy.owner.account == wanted }
    let paths = try found.map { found in
      guard let resealed = found.copy.resealed(with: key, to: machine) else {
        throw CommandFailure("`\(found.path.escapedForDisplay)` does not open with this private key, or was changed")
      }
      let path = output + "/" + resealed.name
      try EscrowFiles.create(path, resealed.bytes)
      return path
    }
    let lines = paths.isEmpty ? ["none"] : paths.map { "written: \($0)" }
    try options.print(.object([.init("files", .array(paths.map { .string($0) }))]), lines: lines)
  }
}

/// Copies that a command line names.
struct EscrowCopies: ParsableArguments {
  @Argument(help: "Directories of copies, or single ones.", completion: .file())
  var places: [String]

  func validate() throws {
    guard !places.isEmpty else { throw ValidationError("name a directory of copies, or a copy") }
  }

  func all() throws -> [EscrowFound] { try places.flatMap(Self.all) }

  /// The copies in a directory, by name, or the one in a file. What is damaged ends the command.
  static func all(in place: String) throws -> [EscrowFound] {
    guard FileStatus(place)?.kind == .directory else { return [try one(place)] }
    let names: [String]
    do throws(SystemError) { names = try Directory.names(in: place) } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    return try names.filter { $0.hasSuffix(EscrowCopy.suffix) }.sorted().map { try one("\(place)/\($0)") }
  }

  private static func one(_ path: String) throws -> EscrowFound {
    guard let copy = EscrowCopy(try EscrowFiles.bytes(path, most: EscrowCopy.byteCount)) else {
      throw CommandFailure("`\(path.escapedForDisplay)` is no copy of a key, or is damaged")
    }
    return EscrowFound(path: path, copy: copy)
  }

  /// The id of an account in copies and headers.
  static func tag(_ name: String) -> AccountTag { AccountTag(foldedName: AccountName.fold(name)) }

  static func row(_ copy: EscrowCopy) -> [String] {
    [copy.id.hex, String(copy.owner.uid), copy.owner.account.value.hex, copy.machine.hex, copy.escrowKey.hex]
  }

  static func json(_ found: EscrowFound, _ opens: Bool?) -> JSONTree {
    let copy = found.copy
    let members: [JSONTree.Member] = [
      .init("file", .string(found.path)), .init("keyId", .string(copy.id.hex)),
      .init("uid", .int(Int64(copy.owner.uid))), .init("accountId", .string(copy.owner.account.value.hex)),
      .init("machine", .string(copy.machine.hex)), .init("escrowKey", .string(copy.escrowKey.hex)),
      .init("serial", .int(Int64(clamping: copy.serial))), .init("epoch", .int(Int64(clamping: copy.epoch))),
    ]
    return .object(members + (opens.map { [.init("opens", .bool($0))] } ?? []))
  }

  /// The copies as a source of keys, in the daemon's place.
  static func source(_ found: [EscrowFound], _ key: EscrowPrivateKey) -> KeySource {
    { (request) async throws(SealingError) in
      guard let object = SealedObjectID(hex: request.objectID), let id = request.keyID else {
        throw KeyRefusal.noKey(request.use, "it is no object's key")
      }
      let copies = found.map(\.copy).filter { $0.id.hex == id && $0.owner.account.value.hex == request.account }
      guard !copies.isEmpty else {
        throw KeyRefusal.noKey(request.use, "none of the copies is of its key \(id)")
      }
      guard let secret = copies.lazy.compactMap({ $0.objectKey(object, with: key) }).first else {
        throw KeyRefusal.noKey(request.use, "the copy of its key does not open with this private key, or was changed")
      }
      return ObjectKey(key: secret.hex, keyID: id, accountID: request.account)
    }
  }
}

/// A copy of a key, and its file.
struct EscrowFound: Sendable {
  let path: String
  let copy: EscrowCopy
}

/// The files of escrow commands.
enum EscrowFiles {
  /// A new file for this user alone, on the disk.
  static func create(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) {
      let file = try OpenFile.creating(path)
      try file.write(bytes.span)
      try file.sync()
    } catch { throw CommandFailure(error.description.escapedForDisplay) }
  }

  static func bytes(_ path: String, most: Int) throws(CommandFailure) -> [UInt8] {
    do throws(SystemError) {
      let file = try OpenFile.reading(path)
      return try file.bytes(in: 0..<min(file.status?.size ?? 0, most + 1))
    } catch { throw CommandFailure(error.description.escapedForDisplay) }
  }

  static func privateKey(_ path: String) throws(CommandFailure) -> EscrowPrivateKey {
    let text = String(decoding: try bytes(path, most: EscrowPrivateKey.maximumFile), as: UTF8.self)
    guard let key = EscrowPrivateKey(file: text) else {
      throw CommandFailure("`\(path.escapedForDisplay)` holds no private key of `account escrow new-key`")
    }
    return key
  }
}
