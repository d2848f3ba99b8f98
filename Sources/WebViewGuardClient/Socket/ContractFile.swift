internal import Glibc
package import GuardModel
internal import Platform

/// The failure contract as the daemon leaves it beside its socket, so that it holds before the first contact.
package enum ContractFile {
  /// The contract, and what was wrong with the file.
  ///
  /// Anybody may have put a file there, or something that only looks like one: it counts when it is a plain file of
  /// somebody trusted that nobody else may write. Otherwise, and where it is broken, everything is closed.
  package static func read(
    _ place: DaemonPlace, _ trust: Trust
  ) -> (contract: FailureContract, problem: GuardProblem?) {
    let path = place.contract
    let file: OpenFile
    do throws(SystemError) { file = try OpenFile.reading(path, followsLink: false) } catch {
      let isMissing = error.number == ENOENT || error.number == ENOTDIR
      return (FailureContract(), isMissing ? nil : .contractNotTrusted(path: path))
    }
    guard let status = file.status, status.kind == .regular, status.onlyOwnerWrites, trust.covers(status.owner) else {
      return (FailureContract(), .contractNotTrusted(path: path))
    }
    // More than any contract has is none; nor is a file that cannot be read.
    let most = FailureContract.maximumFileLength
    let bytes = (try? file.bytes(maximum: most + 1)) ?? []
    let value = bytes.count <= most ? ValueReader.read(bytes[...]) : nil
    return (FailureContract(reading: value ?? .null), isWhole(value) ? nil : .contractBroken(path: path))
  }

  private static func isWhole(_ value: GuardValue?) -> Bool {
    guard let value else { return false }
    return value["startMs"]?.integer != nil && value["answerMs"]?.integer != nil
      && ["navigation", "clipboard", "other"].allSatisfy { FailureAnswer(rawValue: value[$0]?.string ?? "") != nil }
  }
}
