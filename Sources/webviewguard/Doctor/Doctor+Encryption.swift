internal import AccountDirectories
internal import AccountKeys
internal import GuardModel
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyEngine
internal import PolicyFiles
internal import PolicyTools

/// How this machine can keep the files of accounts encrypted, and whether it can do what the policy asks for. The protection
/// `by: volume` is only a word to apps; here somebody looks.
extension Doctor {
  var encryptionFindings: [Finding] {
    let wanted = Set(loaded.policy?.protections.map(\.fileEncryption) ?? [])
    return DirectoryWay.allCases.map { Self.finding($0, isWanted: wanted.contains(FileEncryption(word: $0.rawValue))) }
      + volumePlaces.map { Self.finding($0, isWanted: wanted.contains(.volume)) } + homeFindings
      + [secretFinding, escrowFinding].compactMap(\.self)
  }

  private static let area = "encryption"

  private static func finding(_ way: DirectoryWay, isWanted: Bool) -> Finding {
    switch DirectoryWays.answer(way, below: DirectoriesCommand.systemStore) {
    case .able: .ok(area, "directories of accounts can be kept by \(way.rawValue)")
    case .unable(let hint) where isWanted:
      .problem(area, "the policy wants directories by \(way.rawValue), which this machine cannot keep", hint)
    case .unable(let hint): .ok(area, "directories of accounts cannot be kept by \(way.rawValue): \(hint)")
    }
  }

  /// The places of the daemon: keys and state, and the accounts' directories where there are any.
  private var volumePlaces: [String] {
    let store = DirectoriesCommand.systemStore
    return [options.state?.directory ?? "/var/lib"] + (FileStatus(store) == nil ? [] : [store])
  }

  /// The homes of persons whose accounts have to lie on an encrypted volume: their programs write there.
  private var homeFindings: [Finding] {
    var homes: [String: Set<String>] = [:]
    for account in accounts?.accounts ?? [] where account.encryption == .volume {
      guard let home = account.uid.flatMap({ Users.home(ofUser: $0) }) else { continue }
      homes[home, default: []].insert("\(account.name) of \(account.user)")
    }
    return homes.sorted { $0.key < $1.key }.map { home, accounts in
      Self.finding(home, isWanted: true, whose: " (\(accounts.sorted().joined(separator: ", ")))")
    }
  }

  /// - Parameter whose: the accounts that want it, behind the path.
  private static func finding(_ path: String, isWanted: Bool, whose: String = "") -> Finding {
    let volume = "the volume of `\(path)`\(whose)"
    switch VolumeEncryption.ofPlace(path) {
    case .encrypted(let by): return .ok(area, "\(volume) is encrypted: \(by)")
    case .plain(let device):
      let text = "\(volume) is not encrypted: \(device)"
      return isWanted
        ? .problem(area, text + ", and the policy wants it to be", "encrypt it, or say `encryption: { by: envelope }`")
        : .ok(area, text)
    case .unknown(let reason):
      let text = "nobody can say whether \(volume) is encrypted: \(reason)"
      return isWanted ? .warning(area, text, "say `encryption: { by: envelope }`") : .ok(area, text)
    }
  }

  /// Whether the organisation can read what is sealed here once the machine is gone; nil where nothing is sealed.
  private var escrowFinding: Finding? {
    guard let answer = answer("Escrow"), let keys = answer["keys"]?.int, let copied = answer["copied"]?.int else {
      return nil
    }
    guard answer["publicKey"]?.string != nil else {
      return keys == 0
        ? nil
        : .warning(
          Self.area, "no key of sealed data has a copy: with this machine, or its keys, the data is lost",
          "state `escrow` in the policy, with a key of `webviewguard account escrow new-key`")
    }
    guard copied == keys else {
      return .problem(
        Self.area, "\(keys - copied) of \(keys) keys of sealed data have no copy for the organisation",
        "see `webviewguard health`; a key that is damaged gets none")
    }
    let place = (options.state?.directory ?? "the state directory") + "/escrow"
    return .ok(Self.area, "all \(keys) keys of sealed data have a copy for the organisation in `\(place)`")
  }

  /// Where the secret is that the keys of sealed data lie under; nil for who may not look. No warning: once there are keys,
  /// no other secret opens them.
  private var secretFinding: Finding? {
    guard let state = options.state?.directory, FileStatus(state) == nil || FileStatus(state + "/.") != nil else {
      return nil
    }
    let place = KeyPlace(state: state)
    guard FileStatus(place.secret) != nil else {
      let text = "keys of sealed data lie under a credential of systemd"
      return .ok(Self.area, FileStatus(place.register) == nil ? "there are no keys of sealed data yet" : text)
    }
    let tpm = FileStatus("/dev/tpmrm0") == nil ? "has no TPM" : "has a TPM that could keep it"
    return .ok(
      Self.area, "keys of sealed data lie under `\(place.secret)`, beside them on this disk; this machine \(tpm)")
  }
}
