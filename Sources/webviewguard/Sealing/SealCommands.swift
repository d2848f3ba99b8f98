internal import ArgumentParser
internal import Platform
internal import PolicyTools
internal import WebViewGuardSealing

/// `seal`: a file that only programs of an account can read.
struct SealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal", abstract: "Seal a file: only programs of its account can read it, as long as it may work.",
    discussion: """
      The file is replaced as a whole, or OUTPUT is written and the file stays. The daemon gives the key; a wipe of the \
      account makes every copy unreadable. The data of an account that the policy does not manage is not encrypted: it \
      gets a header with its owner. Ends with 1 when the daemon gives no key, or the file is sealed already; with 2 when \
      something could not be read or written. Then nothing was changed.
      """)

  @Argument(help: "The file, or `-` for standard input.", completion: .file())
  var file: String

  @Option(name: .customLong("as"), help: "The account; left out, the one that the app has enrolled.")
  var account: String?

  @OptionGroup var target: SealingTarget
  @OptionGroup var attachment: SealingAttachment

  func run() async throws {
    let keys = attachment.keys
    try await keys.explain(file) {
      let copy = try SealingCopy(file, target)
      try copy.refuseOtherNames(unless: target.force)
      try copy.refuseEnvelope(unless: target.force)
      let owner = if let account { account } else { try await keys.enrolledAccount() }
      let writer = try await Sealing(keys: keys.source).writer(account: owner) { try copy.write($0) }
      try copy.readAll { try writer.write($0) }
      try writer.finish()
      try copy.finish()
    }
  }
}

/// `unseal`: the data of a sealed file.
struct UnsealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unseal", abstract: "Open a sealed file.",
    discussion: """
      The file is replaced by its data as a whole, or OUTPUT is written and the file stays. A file appears when all of it \
      was genuine, and not before; to standard output each piece goes as soon as it is, and only the status 0 says that \
      nothing is missing. Ends with 1 when the file is damaged or not sealed, or the daemon gives no key; with 2 when \
      something could not be read or written.
      """)

  @Argument(help: "The file, or `-` for standard input.", completion: .file())
  var file: String

  @OptionGroup var target: SealingTarget
  @OptionGroup var attachment: SealingAttachment

  func run() async throws {
    let keys = attachment.keys
    try await keys.explain(file) {
      try await SealingCopy(file, target).unseal(by: Sealing(keys: keys.source))
    }
  }
}

/// Where the result goes.
struct SealingTarget: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: "Write this file, or `-` for standard output; left out, the file itself is replaced.", completion: .file())
  var output: String?

  @Flag(help: "Replace an OUTPUT that exists; seal what is sealed already, or has other names.")
  var force = false
}

/// The app as which a command asks.
struct SealingAttachment: ParsableArguments {
  @Option(help: "Ask as this app.")
  var app: String?

  @Option(help: "Ask as the instance with this token.")
  var instance: String?

  @OptionGroup var place: SocketOptions

  var keys: DaemonKeys { DaemonKeys(path: place.path(.forApps), app: app, instance: instance) }
}
