internal import GuardModel

/// The content of one selection of one display, and its possible contents.
///
/// A `Copy` is asked before the selection changes, and may not happen at all: the user had marked nothing, or the page
/// cancelled it. Therefore it does not become the record; it stands beside it as a proposal until its change is seen.
/// Meanwhile the owner is the strictest of all (amendments, clipboard, second part; review H1).
struct SelectionClips: Sendable {
  /// The content that was last seen to fill the selection; nil when no program reported on it since the machine
  /// started.
  var record: ClipRecord?
  /// The copies that were asked for and not seen, the oldest first. For a drag: those that have not ended.
  private(set) var proposals: [ClipProposal] = []

  /// Maximum number of open proposals.
  static let mostProposals = 8
  /// Milliseconds that the echo of a copy may take.
  static let echoTime: UInt64 = 10_000
  /// Milliseconds after which the program of a drag has forgotten to tell its end.
  static let dragTime: UInt64 = 300_000

  var isEmpty: Bool { record == nil && proposals.isEmpty }

  /// The order of the latest known clip.
  var order: UInt64 { proposals.reduce(record?.order ?? 0) { max($0, $1.record.order) } }

  /// Anything recorded before this, on other displays as well, is gone.
  var since: UInt64 { record?.since ?? (isKnown ? proposals.first?.record.since : nil) ?? 0 }

  /// Whether a program saw the content. Unseen copies say nothing of the content before them.
  var isKnown: Bool { record != nil || proposals.first?.isDrag == true }

  /// The strictest of all that came at `order` or later; nil when nothing did.
  ///
  /// - Parameter owner: the owner of a record under the policy in force.
  func content(from order: UInt64, owner: (ClipRecord) -> ClipOwner) -> ClipRecord? {
    var result = record.flatMap { $0.order >= order ? $0.owned(by: owner($0)) : nil }
    for proposal in proposals where proposal.record.order >= order && proposal.record.order != record?.order {
      let next = proposal.record.owned(by: owner(proposal.record))
      result = result.map { .stricter($0, next) } ?? next
    }
    return result
  }

  /// Whether it may hold a clip like that.
  func contains(_ isLike: (ClipRecord) -> Bool) -> Bool {
    if let record, isLike(record) { return true }
    return proposals.contains { isLike($0.record) }
  }

  // MARK: Copies

  /// A copy was answered. If the program does not report its changes, no report will say whether it happened: a copy
  /// that is not weaker counts at once.
  mutating func propose(_ proposal: ClipProposal, onlyRaises: Bool) {
    expire(at: proposal.time)
    let counts = isRaised(by: proposal.record) || !onlyRaises && isReplaced(by: proposal.record)
    if !proposal.hasEcho, counts {
      let since = record?.since ?? 0
      record = proposal.record
      record?.since = since
    }
    append(proposal)
  }

  /// Whether replacing the record by this one removes no protection. Without a record there is none.
  private func isReplaced(by new: ClipRecord) -> Bool {
    guard let record else { return true }
    guard record.owner == .unmanaged, new.owner == .unmanaged else { return false }
    return record.account == nil || record.account == new.account
  }

  private func isRaised(by new: ClipRecord) -> Bool {
    guard let record else { return false }
    return record.owner == .unmanaged && new.raises(record)
  }

  /// If there is no more room, or for several owners, the owner is unknown.
  private mutating func append(_ proposal: ClipProposal) {
    proposals.append(proposal)
    guard proposals.count > Self.mostProposals else { return }
    let oldest = proposals.removeFirst()
    let isOfOneOwner = proposals.allSatisfy { $0.record.owner == oldest.record.owner }
    if oldest.isDrag {
      proposals[0].takeOver(oldest)
    } else if isOfOneOwner, record?.owner == oldest.record.owner {
      let since = record?.since ?? 0
      if !oldest.hasEcho { record = oldest.record }
      record?.since = since
    } else {
      let isSame = record?.instance == oldest.record.instance
      record = (record ?? oldest.record).owned(by: .unknownManaged)
      if !isSame, oldest.record.owner != .unmanaged { record?.hasSeveralHolders = true }
    }
  }

  /// Proposals whose echo did not come in time: one that lowers is dropped, one that raises becomes the record. False when
  /// there are none.
  @discardableResult
  mutating func expire(at time: UInt64) -> Bool {
    guard proposals.contains(where: { $0.isOver(at: time) }) else { return false }
    for proposal in proposals where proposal.isOver(at: time) {
      if record.map(proposal.record.raises) ?? true { raise(by: proposal.record) }
    }
    proposals.removeAll { $0.isOver(at: time) }
    return true
  }

  /// A clip may or may not have filled the selection: that only ever raises its protection.
  mutating func raise(by new: ClipRecord) {
    guard let record else {
      if new.owner != .unmanaged { self.record = new.owned(by: .unknownManaged) }
      return
    }
    self.record = .stricter(record, new)
    self.record?.since = record.since
    // It may be either: only a text that has neither's length shows that it is another.
    let isOfBoth = record.owner != .unmanaged && new.owner != .unmanaged
    if isOfBoth, record.length != new.length { self.record?.length = nil }
  }

  // MARK: Echoes

  /// The index of this instance's proposal with this number or clip.
  func index(of id: ProposalID?, _ clip: ClipClaim, by instance: InstanceID) -> Int? {
    proposals.firstIndex { proposal in
      guard proposal.record.instance == instance else { return false }
      if let id { return proposal.id == id }
      if case .id(let clip) = clip { return proposal.record.id == clip }
      return false
    }
  }

  /// A change that names no copy is the echo of one of the same length, unless it could be the recorded content, or the
  /// echo of another owner's copy.
  func proposal(ofLength length: Int?, by instance: InstanceID) -> ClipProposal? {
    guard let length else { return nil }
    var found: ClipProposal?
    for proposal in proposals where proposal.record.instance == instance && proposal.record.length == length {
      if let other = found, other.record.owner != proposal.record.owner { return nil }
      found = proposal
    }
    guard let found, let record, record.raises(found.record) else { return found }
    return record.isOtherThan(length) ? found : nil
  }

  /// The unseen copy of this length by a program without `clipEcho`; among several, the last managed one.
  func unseen(ofLength length: Int) -> ClipRecord? {
    var found: ClipRecord?
    for proposal in proposals where !proposal.hasEcho && !proposal.isDrag && proposal.record.length == length {
      found = found?.orManaged(proposal.record) ?? proposal.record
    }
    return found
  }

  /// No managed clip here but `seen` itself, and not gone at `order`, may be a text of this length.
  func isOther(_ length: Int, than seen: ClipRecord, from order: UInt64) -> Bool {
    !contains { $0.order >= order && $0.owner != .unmanaged && $0.order != seen.order && !$0.isOtherThan(length) }
  }

  /// This copy of a program without `clipEcho` was seen.
  mutating func settle(unseen seen: ClipRecord, length: Int, order: UInt64) {
    if let index = proposals.lastIndex(where: { !$0.hasEcho && $0.record == seen }) {
      settle(index, length: length, order: order)
    } else {
      settle(seen, order: order)
    }
    // The time of the copy is unknown: later requested copies may still be there.
    record?.since = seen.order
  }

  /// The copy was seen: the selection holds it, and copies before it are over. Those of other programs that would raise
  /// the protection are not: they may be on their way.
  ///
  /// - Parameter length: the length that was seen; nil if the copy was not seen.
  mutating func settle(_ index: Int, length: Int?, order: UInt64) {
    var seen = proposals[index].record
    seen.length = length ?? seen.length
    let older = proposals[..<index].filter {
      $0.hasEcho && $0.record.instance != seen.instance && $0.record.raises(seen)
    }
    proposals.replaceSubrange(...index, with: older)
    settle(seen, order: order)
  }

  /// This was seen to fill the selection.
  mutating func settle(_ seen: ClipRecord, order: UInt64) {
    record = seen
    record?.awaitsEcho = false
    record?.isDoubted = false
    record?.order = order
    record?.since = order
  }

  /// The program put something else there.
  mutating func replace(by own: ClipRecord, of instance: InstanceID) {
    var own = own
    let (length, formats) = (own.length, own.formats)
    for proposal in proposals where proposal.record.instance == instance { own = .stricter(own, proposal.record) }
    (own.instance, own.hasSeveralHolders, own.since) = (instance, false, own.order)
    // This was seen, whatever its owner.
    (own.length, own.formats) = (length, formats)
    proposals.removeAll { $0.record.instance == instance || !$0.record.raises(own) && $0.hasEcho }
    record = own
  }

  /// Another program filled the selection: `left` gives the remaining part of each possible content. A copy whose echo
  /// is still to come may come after that.
  mutating func fall(_ left: (ClipRecord?) -> ClipRecord) {
    record = left(record)
    for index in proposals.indices where !proposals[index].hasEcho {
      proposals[index].record = left(proposals[index].record)
    }
    proposals.removeAll { !$0.hasEcho && $0.record.instance == nil }
  }

  // MARK: Drags

  /// A drag starts. An earlier drag that has not ended may still be the one under way. Those that one program starts
  /// with one owner's data count as one, so that they push none of another program out.
  mutating func startDrag(_ drag: ClipProposal) {
    var drag = drag
    drag.record.since = since
    proposals.removeAll { $0.isForgotten(at: drag.time) }
    record = nil
    if let index = proposals.firstIndex(where: drag.isAgain) {
      drag.takeOver(proposals.remove(at: index))
    }
    append(drag)
  }

  /// Whether a program's drag may be under way.
  func hasDrag(at time: UInt64) -> Bool { proposals.contains { !$0.isForgotten(at: time) } }

  /// Only the program of a drag can report its end; the next drag's owner is still unknown. False when it has none
  /// here.
  mutating func endDrag(of instance: InstanceID) -> Bool {
    guard proposals.contains(where: { $0.record.instance == instance }) else { return false }
    proposals.removeAll { $0.record.instance == instance }
    if proposals.isEmpty { record = ClipRecord() }
    return true
  }

  // MARK: Ends and restarts

  /// The program has ended: the selection holds the content that was seen after its clip. True when something changed.
  mutating func end(_ instance: InstanceID, isDrag: Bool) -> Bool {
    if isDrag { return endDrag(of: instance) }
    guard var old = record, old.instance == instance, !old.hasSeveralHolders, !old.isLost else { return false }
    old.isLost = true
    record = old.isDoubted ? ClipRecord(owner: .unmanaged, order: old.order, since: old.since) : old
    return true
  }

  mutating func updateRecords(_ body: (inout ClipRecord) -> Void) {
    if var known = record {
      body(&known)
      record = known
    }
    for index in proposals.indices { body(&proposals[index].record) }
  }

  /// Puts back the kept proposals.
  mutating func restore(_ kept: [ClipProposal]) { proposals = kept }
}

extension ClipRecord {
  /// The later of two, unless only the other is managed.
  func orManaged(_ other: ClipRecord) -> ClipRecord {
    if (owner == .unmanaged) != (other.owner == .unmanaged) { return owner == .unmanaged ? other : self }
    return order > other.order ? self : other
  }

  /// A text of this length is not this one.
  func isOtherThan(_ length: Int) -> Bool { self.length.map { $0 != length } ?? false }

  func owned(by owner: ClipOwner) -> ClipRecord {
    var copy = self
    copy.owner = owner
    return copy
  }
}
