internal import GuardModel

/// The content that a `Copy` announced for a selection.
struct ClipProposal: Sendable, Hashable {
  var record: ClipRecord
  let id: ProposalID
  /// When it was asked, in milliseconds since 1970.
  let time: UInt64
  /// Its program reports each change that it makes.
  let hasEcho: Bool
  var isDrag = false

  /// The same program started the older one with the same owner's data.
  func isAgain(_ older: ClipProposal) -> Bool { record.instance == older.record.instance && hasSameOwner(as: older) }

  private func hasSameOwner(as other: ClipProposal) -> Bool {
    record.owner == other.record.owner && record.account == other.record.account
  }

  /// This drag counts as an older one, too: several owners become an unknown one. If they are of several programs, none
  /// of these can report the end of both.
  mutating func takeOver(_ older: ClipProposal) {
    let isOfOneOwner = hasSameOwner(as: older)
    let new = record
    record = .stricter(older.record, new)
    if !isOfOneOwner { record.owner = .unknownManaged }
    record.instance = new.instance == older.record.instance ? new.instance : nil
    (record.id, record.order, record.since) = (new.id, new.order, min(new.since, older.record.since))
  }

  /// Its program has not told the end of this drag.
  func isForgotten(at now: UInt64) -> Bool { now >= time &+ SelectionClips.dragTime }

  /// Whether its echo should have come.
  func isOver(at now: UInt64) -> Bool { hasEcho && !isDrag && now >= time &+ SelectionClips.echoTime }
}
