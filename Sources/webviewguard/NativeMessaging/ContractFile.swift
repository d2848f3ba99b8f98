internal import Glibc
package import GuardModel
package import JSONText

/// `contract.json` beside the socket: what holds before the first contact and after the last.
///
/// It counts when it is root's, the daemon's user's or the caller's own, and nobody else can write it; else it is as if
/// there were none. What is missing in it is closed, or the default time.
package enum ContractFile {
  /// The contract in a file; closed throughout when it does not count.
  package static func read(_ path: String, believing believed: BelievedListeners = .orSelf) -> FailureContract {
    guard let text = trustedBytes(path, believed), let tree = try? JSONTree(parsing: text.span) else {
      return FailureContract()
    }
    return contract(tree)
  }

  /// The contract in an object, such as that in the reply to `Attach`.
  package static func contract(_ tree: JSONTree) -> FailureContract {
    var contract = FailureContract()
    contract.startMilliseconds = milliseconds(tree["startMs"]) ?? contract.startMilliseconds
    contract.answerMilliseconds = milliseconds(tree["answerMs"]) ?? contract.answerMilliseconds
    contract.navigation = answer(tree["navigation"])
    contract.clipboard = answer(tree["clipboard"])
    contract.other = answer(tree["other"])
    return contract
  }

  static func tree(_ contract: FailureContract) -> JSONTree {
    [
      "startMs": .int(Int64(contract.startMilliseconds)), "answerMs": .int(Int64(contract.answerMilliseconds)),
      "navigation": .string(contract.navigation.rawValue), "clipboard": .string(contract.clipboard.rawValue),
      "other": .string(contract.other.rawValue),
    ]
  }

  private static func milliseconds(_ tree: JSONTree?) -> Int? {
    guard let number = tree?.int.flatMap({ Int(exactly: $0) }), FailureContract.times.contains(number) else {
      return nil
    }
    return number
  }

  private static func answer(_ tree: JSONTree?) -> FailureAnswer {
    tree?.string.flatMap(FailureAnswer.init(rawValue:)) ?? .closed
  }

  private static func trustedBytes(_ path: String, _ believed: BelievedListeners) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o022 == 0,
      believed.covers(status.st_uid)
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: FailureContract.maximumFileLength + 1)
    var length = 0
    while length < bytes.count {
      let count = bytes[length...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      length += count
    }
    return length <= FailureContract.maximumFileLength ? Array(bytes[..<length]) : nil
  }
}
