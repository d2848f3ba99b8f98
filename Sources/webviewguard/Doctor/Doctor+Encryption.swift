internal import AccountDirectories
internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import PolicyTools

/// How this machine can keep the files of accounts encrypted, and whether it can do what the policy asks for.
extension Doctor {
  var encryptionFindings: [Finding] {
    let wanted = Set(loaded.policy?.protections.map(\.fileEncryption) ?? [])
    return DirectoryWay.allCases.map { Self.finding($0, isWanted: wanted.contains(FileEncryption(word: $0.rawValue))) }
      + [Self.volumeFinding(isWanted: wanted.contains(.volume))]
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

  /// Homes lie on other volumes at times; this one has the keys, the log and the state.
  private static func volumeFinding(isWanted: Bool) -> Finding {
    let path = "/var/lib"
    switch VolumeEncryption.of(path) {
    case .encrypted(let by): return .ok(area, "the volume of `\(path)` is encrypted: \(by)")
    case .plain(let device):
      let text = "the volume of `\(path)` is not encrypted: \(device)"
      return isWanted
        ? .problem(area, text + ", and the policy wants it to be", "encrypt it, or say `encryption: { by: envelope }`")
        : .ok(area, text)
    case .unknown(let reason):
      let text = "nobody can say whether the volume of `\(path)` is encrypted: \(reason)"
      return isWanted ? .warning(area, text, "say `encryption: { by: envelope }`") : .ok(area, text)
    }
  }
}
