/// The selection that holds a clip (ledger section E.2; amendments, clipboard).
public enum Selection: UInt8, Sendable, Hashable, CaseIterable {
  /// The engine could not tell, as with a middle click: the stricter of `clipboard` and `primary`.
  case unknown = 0
  case clipboard
  /// The X11 selection that fills as soon as the user marks text.
  case primary
  /// A drag in progress.
  case drag

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .clipboard: "clipboard"
    case .primary: "primary"
    case .drag: "drag"
    }
  }
}

/// The number of one filling of a selection by managed data.
///
/// A client may carry it along with the clip and hand it back at paste. It only ever raises protection, so it needs no
/// secrecy: guessing another's number gains nothing. `epoch` differs at every start of the daemon; a number of an earlier
/// start is therefore unknown, and counts as an unknown managed owner.
package struct ClipID: Sendable, Hashable {
  package var epoch: UInt64
  package var number: UInt64

  package init(epoch: UInt64, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }

  /// `clip-000000000000002a-7` for number 7 of epoch 42.
  package var text: String { EpochNumber.text("clip", epoch: epoch, number: number) }

  /// The id written as `text`; nil for anything else.
  package init?(_ text: String) {
    guard let read = EpochNumber.read(text, "clip") else { return nil }
    self.init(epoch: read.epoch, number: read.number)
  }
}

/// The number of one proposal: the content that a `Copy` announced for a selection, until the change is seen.
///
/// The app names it in the `ClipboardChanged` by which it saw that copy happen. Knowing another app's number gives no
/// access: only the app that proposed can name it.
package struct ProposalID: Sendable, Hashable {
  package var epoch: UInt64
  package var number: UInt64

  package init(epoch: UInt64, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }

  /// `proposal-000000000000002a-7` for number 7 of epoch 42.
  package var text: String { EpochNumber.text("proposal", epoch: epoch, number: number) }

  /// The id written as `text`; nil for anything else.
  package init?(_ text: String) {
    guard let read = EpochNumber.read(text, "proposal") else { return nil }
    self.init(epoch: read.epoch, number: read.number)
  }
}

/// The clip that a client handed back with a paste.
package enum ClipClaim: Sendable, Hashable {
  /// Nothing: the record alone decides.
  case none
  case id(ClipID)
  /// Not one of our ids: an unknown managed owner.
  case unreadable
}

/// The result of the app's content scanner for copied data (ledger CB-13). The data itself is never sent.
public enum Inspection: UInt8, Sendable, Hashable, CaseIterable {
  /// Nothing scanned it.
  case none = 0
  case passed
  case blocked
  /// Too large to be scanned.
  case tooLarge
  /// The scanner could not be reached.
  case offline
  /// The user did not wait for it.
  case cancelled

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .none: "none"
    case .passed: "passed"
    case .blocked: "blocked"
    case .tooLarge: "tooLarge"
    case .offline: "offline"
    case .cancelled: "cancelled"
    }
  }
}
