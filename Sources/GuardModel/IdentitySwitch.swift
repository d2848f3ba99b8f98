/// The result of an identity switch (ledger IS-04, E.5).
public enum SwitchResult: String, Sendable, Hashable, CaseIterable {
  /// The identity is in force.
  case success
  /// The user gave up at a gate.
  case canceled
  /// Another managed account is in the way, or another scope is open.
  case notAllowed
  /// A gate did not open, or the cause is unknown.
  case failed
}

/// The cause of the daemon's request for another identity (ledger IS-11).
public enum SwitchCause: String, Sendable, Hashable, CaseIterable {
  /// An opened URL brings unmanaged data (DT-10).
  case openURL
  /// The account shown is blocked (IS-11, IS-13).
  case cancelConditionalLaunch
  /// Unmanaged data wants to come in (DT-10).
  case documentImport
}

/// The number of one request of the daemon that an app show another account.
///
/// As with clips, `epoch` differs at every start of the daemon, so that an answer to an earlier one finds nothing.
package struct SwitchRequestID: Sendable, Hashable {
  package var epoch: UInt64
  package var number: UInt64

  package init(epoch: UInt64, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }

  /// `switch-000000000000002a-7` for number 7 of epoch 42.
  package var text: String { EpochNumber.text("switch", epoch: epoch, number: number) }

  /// The id written as `text`; nil for anything else.
  package init?(_ text: String) {
    guard let read = EpochNumber.read(text, "switch") else { return nil }
    self.init(epoch: read.epoch, number: read.number)
  }
}
