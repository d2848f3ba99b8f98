internal import AccountKeys
internal import ArgumentParser
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// `account escrow`: copies of keys that the organisation alone can open.
struct EscrowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "escrow", abstract: "Copies of the keys of sealed data, which only the organisation opens.",
    discussion: """
      The policy names a public key (`escrow`), and the daemon seals a copy of each key to it, below `escrow` in its state \
      directory. Take these files along with every backup. The private key belongs off these machines: `new-key`, `unseal` \
      and `hand-over` work without a daemon, on a computer without a network.
      """,
    subcommands: [
      EscrowNewKeyCommand.self, EscrowShowCommand.self, EscrowListCommand.self, EscrowUnsealCommand.self,
      EscrowHandOverCommand.self, EscrowRecoverCommand.self,
    ])
}

/// `account escrow new-key`: the organisation's key pair.
struct EscrowNewKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-key", abstract: "Make a key pair: the private key into a file, the public one for the policy.",
    discussion: """
      Do it off the machines that the daemon guards, and keep the file under lock and key, in two places: whoever has it \
      reads everything that was sealed, and without it no copy of a key is worth anything.
      """)

  @Argument(help: "The file for the private key, which must not exist.", completion: .file())
  var file: String

  @OptionGroup var options: FormatOptions

  func run() throws {
    let key = EscrowPrivateKey.random()
    try EscrowFiles.create(file, Array(key.file.utf8))
    let text = key.publicKey.text
    try options.print(
      .object([.init("publicKey", .string(text)), .init("file", .string(file))]),
      lines: ["escrow: { publicKey: \(text) }"])
  }
}

/// `account escrow show`: what the daemon has.
struct EscrowShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show how many keys of this machine have a copy, and its import key.",
    discussion: "Ends with 1 when keys have no copy that the policy wants.")

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let reply = try place.askAdministrators("Escrow", .object([]), words: WipeWords.refusal)
    let (keys, copied) = (reply["keys"]?.int ?? 0, reply["copied"]?.int ?? 0)
    let key = reply["publicKey"]?.string
    let rows = [
      ["public key", key ?? "none: the policy has no `escrow`"], ["copies", "\(copied) of \(keys) keys"],
      ["import key", reply["importKey"]?.string ?? "none: the keys are not open"],
      ["machine", reply["machine"]?.string ?? "none"],
    ]
    try options.print(reply, lines: TextTable(rows).lines)
    if key != nil, copied < keys { throw ExitCode(1) }
  }
}

/// `account escrow list`: the copies in a directory.
struct EscrowListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show what the copies in a directory are of. Asks no daemon.",
    discussion: """
      A copy has the id of its account, not the name; --account finds the copies of a name. With --key each is opened, too: \
      ends with 1 when one does not open.
      """)

  @OptionGroup var copies: EscrowCopies

  @Option(help: "Only the copies of this account, by the name under which its data was sealed.")
  var account: String?

  @Option(help: "The file of the private key, to try each copy.", completion: .file())
  var key: String?

  @OptionGroup var options: FormatOptions

  func run() throws {
    let key = try key.map(EscrowFiles.privateKey)
    let wanted = account.map(EscrowCopies.tag)
    let found = try copies.all().filter { wanted == nil || $0.copy.owner.account == wanted }
    let opened = found.map { found in key.map { found.copy.open(with: $0) != nil } }
    let rows = zip(found, opened).map { found, opens in
      EscrowCopies.row(found.copy) + (opens.map { [$0 ? "opens" : "does not open"] } ?? [])
    }
    let json = zip(found, opened).map { found, opens in EscrowCopies.json(found, opens) }
    let header = ["KEY", "UID", "ACCOUNT ID", "MACHINE", "ESCROW KEY"] + (key == nil ? [] : ["THIS KEY"])
    try options.print(
      .object([.init("copies", .array(json))]), lines: rows.isEmpty ? ["none"] : TextTable(header, rows).lines)
    if opened.contains(false) { throw ExitCode(1) }
  }
}

/// `account escrow recover`: a key comes to another machine.
struct EscrowRecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover", abstract: "Bring keys of an account back, out of copies that were sealed to this machine.",
    discussion: """
      `hand-over` makes such copies, with the private key, elsewhere. Data that was sealed under these keys opens here from \
      then on; new data gets a key of this machine. A key that a wipe destroyed here stays destroyed. The log has who and \
      why. Ends with 1 when the daemon refuses one.
      """)

  @OptionGroup var copies: EscrowCopies

  @Option(help: "One of the names of the account.")
  var account: String

  @OptionGroup var order: AccountOrderOptions
  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let uid = try order.uid(place)
    var replies: [JSONTree] = []
    for found in try copies.all() {
      let parameters = order.parameters(account, uid, .init("copy", .string(found.copy.hex)))
      replies.append(
        try place.askAdministrators("RecoverAccountKey", parameters) { reply, error in
          "\(found.path.escapedForDisplay): " + WipeWords.refusal(reply, error)
        })
    }
    let lines = replies.map { reply in
      let isNew = reply["isNew"]?.bool == true
      return "\(isNew ? "recovered" : "here already"): key \(reply["keyId"]?.string ?? "") of "
        + "\(reply["account"]?.string ?? account) of \(MachineUser.name(of: uid))"
    }
    try options.print(.object([.init("keys", .array(replies))]), lines: lines)
  }
}
