internal import AccountDirectories
internal import AccountKeys
internal import GuardProtocol
internal import JSONText
internal import Secrets

/// The words between the keeper of directories and the daemon.
enum KeeperWords {
  // MARK: To the daemon

  static func beginning(_ ways: [DirectoryWay], open: [DirectoryPlace]) throws(ClientError) -> CallText {
    let kept = open.map { place -> JSONTree in
      [
        "uid": .int(Int64(place.owner.uid)), "accountId": .string(place.owner.account.value.hex),
        "path": .string(place.files),
      ]
    }
    return try CallText(["ways": .array(ways.map { .string($0.rawValue) }), "open": .array(kept)])
  }

  static func wish(_ owner: KeyOwner, _ object: SealedObjectID, _ id: KeyID?) -> JSONTree {
    .object(name(owner) + [.init("object", .string(object.hex))] + (id.map { [.init("keyId", .string($0.hex))] } ?? []))
  }

  static func note(_ owner: KeyOwner, _ report: DirectoryReport) -> JSONTree {
    let state: [JSONTree.Member] =
      switch report {
      case .none: [.init("state", "none")]
      case .opening: [.init("state", "opening")]
      case .open(let path): [.init("state", "open"), .init("path", .string(path))]
      case .failed(let problem): [.init("state", "failed"), .init("problem", .string(problem))]
      }
    return .object(name(owner) + state)
  }

  private static func name(_ owner: KeyOwner) -> [JSONTree.Member] {
    [.init("uid", .int(Int64(owner.uid))), .init("accountId", .string(owner.account.value.hex))]
  }

  // MARK: From the daemon

  /// The directories that have to be open. A way that this program does not know is left out: the directory is closed.
  static func wanted(_ reply: VarlinkReply) throws(ClientError) -> [WantedDirectory] {
    guard reply.error == nil, let directories = reply.parameters["directories"]?.array else {
      throw .unexpected(reply.error ?? "the answer has no directories")
    }
    var wanted: [WantedDirectory] = []
    for directory in directories {
      guard let uid = directory["uid"]?.int.flatMap({ UInt32(exactly: $0) }),
        let account = directory["accountId"]?.string.flatMap({ SixteenBytes(hex: $0) })
      else { throw .unexpected("a directory without a person or an account") }
      guard let way = directory["way"]?.string.flatMap({ DirectoryWay(rawValue: $0) }) else { continue }
      let owner = KeyOwner(uid: uid, account: AccountTag(account))
      let formers = (directory["formerIds"]?.array ?? []).compactMap { $0.string.flatMap { SixteenBytes(hex: $0) } }
      wanted.append(
        WantedDirectory(owner: owner, formers: formers.map { KeyOwner(uid: uid, account: AccountTag($0)) }, way: way))
    }
    return wanted
  }

  enum KeyAnswer {
    case key(SecretBytes, KeyID)
    case destroyed
    case refused(String)
  }

  static func key(_ reply: VarlinkReply) throws(ClientError) -> KeyAnswer {
    if let error = reply.error { return error.hasSuffix(".KeyDestroyed") ? .destroyed : .refused(error) }
    guard let key = reply.parameters["key"]?.string.flatMap({ SecretBytes(hex: $0) }), key.count == 32,
      let id = reply.parameters["keyId"]?.string.flatMap({ KeyID(hex: $0) })
    else { return .refused("its answer has no key") }
    return .key(key, id)
  }
}
