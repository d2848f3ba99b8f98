import Bytes
import GuardProtocol
import GuardService
import JSONText
import TestSupport
import Testing

/// Replies in their order, each held until log and state are far enough.
@Suite struct HeldRepliesTests {
  private static func add(
    _ text: String, _ held: inout HeldReplies, record: UInt64, state: UInt64,
    allowing: UInt64? = nil
  ) {
    var writer = JSONWriter()
    writer.value(JSONTree.string(text))
    held.append(writer)
    held.mark(
      record: record, state: state, allowing: allowing.map { Withdrawable(DecisionID(number: $0)) },
      since: 0)
  }

  private static func release(_ held: inout HeldReplies, record: UInt64, state: UInt64) -> String {
    var buffer = GrowingBytes()
    var latency = LatencyHistogram()
    held.release(through: record, state: state, into: &buffer, observing: &latency)
    #expect(latency.count == 0, "no reply of these is a decision")
    return buffer.string
  }

  /// Each row: replies as (record, state), how far log and state are, and how many may leave.
  @Test(
    arguments: [
      ([], 9, 9, 0), ([(0, 0)], 0, 0, 1), ([(1, 0)], 0, 9, 0), ([(0, 1)], 9, 0, 0),
      ([(1, 1)], 1, 1, 1),
      ([(1, 0), (2, 0), (3, 0)], 2, 0, 2),
      // A reply behind one that waits waits as well, whatever it rests on.
      ([(5, 0), (0, 0)], 4, 9, 0), ([(5, 0), (0, 0)], 5, 0, 2), ([(0, 5), (0, 0)], 9, 4, 0),
      ([(2, 0), (0, 3), (1, 0)], 2, 2, 1), ([(2, 0), (0, 3), (1, 0)], 2, 3, 3),
      ([(.max, .max)], .max, .max, 1),
      ([(.max, 0)], .max - 1, 0, 0),
    ] as [([(UInt64, UInt64)], UInt64, UInt64, Int)])
  func aReplyWaitsForLogAndState(
    _ replies: [(UInt64, UInt64)], _ record: UInt64, _ state: UInt64, _ count: Int
  ) {
    var held = HeldReplies()
    for (number, reply) in replies.enumerated() {
      Self.add("\(number)", &held, record: reply.0, state: reply.1)
    }
    #expect(held.count == replies.count)
    #expect(held.isReady(through: record, state: state) == (count > 0))
    let left = Self.release(&held, record: record, state: state)
    #expect(left == (0..<count).map { "\"\($0)\"" }.joined())
    #expect(held.count == replies.count - count)
    if count == replies.count { #expect(held.byteCount == 0) }
  }

  /// Without a log, restrictions leave and permissions give way to an error; without a state file, nothing leaves.
  @Test(
    arguments: [
      ([(nil, 0), (7, 0), (nil, 0)], true, 0, "\"0\"!\"2\"", [7]),
      ([(nil, 0), (7, 0)], false, 0, "\"0\"\"1\"", []),
      ([(7, 1), (8, 0)], true, 0, "", []), ([(7, 0), (8, 1), (9, 0)], true, 0, "!", [7]),
      ([(7, 0), (8, 1), (9, 0)], true, 1, "!!!", [7, 8, 9]), ([], true, 9, "", []),
    ] as [([(UInt64?, UInt64)], Bool, UInt64, String, [UInt64])])
  func withoutALogPermissionsGiveWay(
    _ replies: [(UInt64?, UInt64)], _ isRefused: Bool, _ state: UInt64, _ expected: String,
    _ withdrawn: [UInt64]
  ) {
    var held = HeldReplies()
    for (number, reply) in replies.enumerated() {
      Self.add("\(number)", &held, record: .max, state: reply.1, allowing: reply.0)
    }
    var buffer = GrowingBytes()
    let gone = held.releaseAll(
      insteadOfAllowing: isRefused ? Array("!".utf8) : nil, state: state, into: &buffer)
    #expect(buffer.string == expected)
    #expect(
      gone.map(\.lowerBound.number) == withdrawn && gone.map(\.upperBound.number) == withdrawn)
  }

  /// Random replies, and a log and a state that go on or fail, against a plain list.
  @Test func randomRepliesFollowTheModel() {
    struct Reply { var text: String, record: UInt64, state: UInt64, allowing: UInt64? }
    var random = SeededGenerator()
    var held = HeldReplies()
    var model: [Reply] = []
    var (record, state, number) = (UInt64(0), UInt64(0), UInt64(0))
    for step in 0..<Effort.scaled(50_000) {
      switch random.below(5) {
      case 0, 1:
        number += 1
        let reply = Reply(
          text: "r\(number)", record: max(model.last?.record ?? 0, record + UInt64(random.below(4))),
          state: state + UInt64(random.below(3)),
          allowing: random.oneIn(2) ? number : nil)
        model.append(reply)
        Self.add(
          reply.text, &held, record: reply.record, state: reply.state, allowing: reply.allowing)
      case 2:
        record += UInt64(random.below(3))
        state += UInt64(random.below(2))
      case 3:
        let count = model.prefix { $0.record <= record && $0.state <= state }.count
        let expected = model.prefix(count).map { "\"\($0.text)\"" }.joined()
        #expect(
          held.isReady(through: record, state: state) == (count > 0), "\(random.note) at \(step)")
        #expect(
          Self.release(&held, record: record, state: state) == expected, "\(random.note) at \(step)"
        )
        model.removeFirst(count)
      default:
        guard random.oneIn(6) else { continue }
        let gone = model.prefix { $0.state <= state }
        var buffer = GrowingBytes()
        let withdrawn = held.releaseAll(insteadOfAllowing: [0x21], state: state, into: &buffer)
        #expect(
          withdrawn.map(\.lowerBound.number) == gone.compactMap(\.allowing),
          "\(random.note) at \(step)")
        let expected = gone.map { $0.allowing == nil ? "\"\($0.text)\"" : "!" }.joined()
        #expect(buffer.string == expected, "\(random.note) at \(step)")
        model.removeFirst(gone.count)
      }
      #expect(
        held.count == model.count
          && held.byteCount == model.reduce(0) { $0 + $1.text.utf8.count + 2 })
    }
  }
}
