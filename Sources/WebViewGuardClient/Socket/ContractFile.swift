internal import Glibc
package import GuardModel
internal import Platform

/// The failure contract that the daemon leaves beside its socket, so it holds before the first contact.
package enum ContractFile {
  /// The contract, and the fault of the file.
  ///
  /// Any user may have put a file there, or a thing that only looks like one. It counts when it is a plain file of a
  /// trusted owner that no other user may write. Otherwise, and where it is broken, everything is closed.
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
    // A file longer than any contract is none; nor is an unreadable file.
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
