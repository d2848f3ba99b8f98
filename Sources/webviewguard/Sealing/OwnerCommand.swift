internal import AccountKeys
internal import ArgumentParser
internal import JSONText
internal import Platform
internal import PolicyEngine
internal import PolicyTools
internal import WebViewGuardSealing

/// `owner`: whose a file is.
struct OwnerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "owner", abstract: "Show whose a sealed file is.",
    discussion: """
      The header says it, without a key. It is a claim: that of sealed data is true once `unseal` opened it, that of \
      unmanaged data is what somebody said. The header has the account's id, not its name; a daemon that answers is asked \
      which of the app's accounts that is. Ends with 1 when the file has no owner, or is damaged.
      """)

  @Argument(help: "The file, or `-` for standard input.", completion: .file())
  var file: String

  @OptionGroup var options: FormatOptions
  @OptionGroup var attachment: SealingAttachment

  func run() async throws {
    let keys = attachment.keys
    try await keys.explain(file) {
      guard let info = try ProtectionInfo(of: try start()) else {
        try options.print(["protection": .string("none")], lines: ["none"])
        throw ExitCode(1)
      }
      let members = try await members(of: info, keys)
      let rows = members.map { [Self.titles[$0.key] ?? $0.key, $0.value.string ?? ""] }
      try options.print(.object(members), lines: TextTable(rows).lines)
    }
  }

  /// The beginning of the file.
  private func start() throws(SystemError) -> [UInt8] {
    guard file != "-" else { return try Self.start(of: 0, "standard input") }
    let opened = try OpenFile.streaming(file)
    return try Self.start(of: opened.descriptor, file)
  }

  private static func start(of descriptor: Int32, _ name: String) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: ProtectionInfo.longestHeader)
    let count = bytes.withUnsafeMutableBytes { Stream.fill($0, from: descriptor) }
    guard count >= 0 else { throw SystemError("read", name) }
    return Array(bytes.prefix(count))
  }

  private func members(of info: ProtectionInfo, _ keys: DaemonKeys) async throws -> [JSONTree.Member] {
    switch info {
    case .unmanaged(let account):
      return [.init("protection", .string("unmanaged")), .init("account", .string(account))]
    case .sealed(let accountID, let keyID, let objectID):
      let account = await keys.knownAccounts().first {
        AccountTag(foldedName: AccountName.fold($0)).value.hex == accountID
      }
      let name = account.map { [JSONTree.Member("account", .string($0))] } ?? []
      return [.init("protection", .string("sealed"))] + name + [
        .init("accountId", .string(accountID)), .init("keyId", .string(keyID)), .init("objectId", .string(objectID)),
      ]
    }
  }

  private static let titles = ["accountId": "account id", "keyId": "key id", "objectId": "object id"]
}
