internal import GuardProtocol
internal import JSONText
internal import NIOCore
internal import Platform

/// Replies in the order of their calls, each held until the decision log has the record, and the state file the change, it
/// rests on.
struct HeldReplies {
  private struct Mark {
    /// Where the reply ends in `bytes`.
    var end: Int
    /// The log must be written up to here.
    var record: UInt64
    /// The state must be settled up to here.
    var state: UInt64
    /// The decisions, when one lets something happen: withdrawn when their records cannot be written.
    var allowing: Withdrawable?
    /// When the decision was asked for, in microseconds; 0 when the reply is none.
    var since: UInt64
  }

  private var bytes: [UInt8] = []
  private var marks: [Mark] = []
  private var firstMark = 0

  /// Bytes of the replies that wait.
  var byteCount: Int { bytes.count - firstStart }

  var count: Int { marks.count - firstMark }

  /// Adds the bytes of a reply; `mark` must follow.
  mutating func append(_ reply: borrowing JSONWriter) { reply.copy(to: &bytes) }

  /// As `append`, of a reply that is written but for the decision's id.
  mutating func append(_ reply: WrittenReply, _ id: DecisionID) { reply.append(id, to: &bytes) }

  /// Says that the reply just added rests on the log up to `record`. A reply behind one that waits must wait as well.
  mutating func mark(record: UInt64, state: UInt64, allowing decisions: Withdrawable?, since: UInt64) {
    let floor = count > 0 ? marks[marks.count - 1].record : 0
    marks.append(Mark(end: bytes.count, record: max(floor, record), state: state, allowing: decisions, since: since))
  }

  /// Whether the first reply may leave.
  func isReady(through record: UInt64, state: UInt64) -> Bool {
    firstMark < marks.count && marks[firstMark].record <= record && marks[firstMark].state <= state
  }

  /// Moves out the replies that may leave now that the log is written up to `record` and the state up to `state`.
  mutating func release(
    through record: UInt64, state: UInt64, into buffer: inout ByteBuffer, observing latency: inout LatencyHistogram
  ) {
    let start = firstStart
    let now = count > 0 ? SystemClock.monotonicMicroseconds : 0
    while firstMark < marks.count, marks[firstMark].record <= record, marks[firstMark].state <= state {
      let since = marks[firstMark].since
      if since > 0 { latency.observe(now - since) }
      firstMark += 1
    }
    buffer.writeBytes(bytes[start..<firstStart])
    if count == 0 { reset() }
  }

  /// Moves out the replies that the state is settled for although the log failed; those that would let something happen
  /// give way to `refusal`. Returns their decisions.
  mutating func releaseAll(
    insteadOfAllowing refusal: [UInt8]?, state: UInt64, into buffer: inout ByteBuffer
  ) -> [ClosedRange<DecisionID>] {
    var start = firstStart
    var withdrawn: [ClosedRange<DecisionID>] = []
    while firstMark < marks.count, marks[firstMark].state <= state {
      let mark = marks[firstMark]
      firstMark += 1
      if let decisions = mark.allowing, let refusal {
        buffer.writeBytes(refusal)
        withdrawn += decisions.ranges
      } else {
        buffer.writeBytes(bytes[start..<mark.end])
      }
      start = mark.end
    }
    if count == 0 { reset() }
    return withdrawn
  }

  private var firstStart: Int { firstMark > 0 ? marks[firstMark - 1].end : 0 }

  private mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    marks.removeAll(keepingCapacity: true)
    firstMark = 0
  }
}
