internal import Glibc
internal import GuardModel

/// The failure contract as the daemon leaves it beside its socket, so that it holds before the first contact.
enum ContractFile {
  /// The contract, and what was wrong with the file.
  ///
  /// Anybody may have put a file there, or something that only looks like one: it counts when it is a plain file of
  /// somebody trusted that nobody else may write. Otherwise, and where it is broken, everything is closed.
  static func read(_ place: DaemonPlace, _ trust: Trust) -> (contract: FailureContract, problem: GuardProblem?) {
    let path = place.contract
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      return (FailureContract(), errno == ENOENT || errno == ENOTDIR ? nil : .contractNotTrusted(path: path))
    }
    defer { close(descriptor) }
    guard isTrusted(descriptor, trust) else { return (FailureContract(), .contractNotTrusted(path: path)) }
    let value = ValueReader.read(bytes(descriptor)[...])
    return (FailureContract(reading: value ?? .null), isWhole(value) ? nil : .contractBroken(path: path))
  }

  private static func isTrusted(_ descriptor: Int32, _ trust: Trust) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return status.st_mode & (S_IWGRP | S_IWOTH) == 0 && trust.covers(status.st_uid)
  }

  private static func isWhole(_ value: GuardValue?) -> Bool {
    guard let value else { return false }
    return value["startMs"]?.integer != nil && value["answerMs"]?.integer != nil
      && ["navigation", "clipboard", "other"].allSatisfy { FailureAnswer(rawValue: value[$0]?.string ?? "") != nil }
  }

  /// What the file holds, up to a length that no contract has.
  private static func bytes(_ descriptor: Int32) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: FailureContract.maximumFileLength)
    var length = 0
    while length < text.count {
      let count = text[length...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      length += count
    }
    return Array(text[..<length])
  }
}
