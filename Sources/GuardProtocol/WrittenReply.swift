package import GuardModel
internal import JSONText

/// The reply to an event, without the decision's id. It is written once for all decisions with the same result.
///
///     let written = WrittenReply(report, using: &writer)
///     written.append(DecisionID(number: 42), to: &bytes)    // {"parameters":{"decision":{"id":"42","outcome":… and a NUL
package struct WrittenReply: Sendable {
  private let bytes: [UInt8]
  /// The position of the id.
  private let place: Int

  package init(_ report: DecisionReport) {
    var writer = JSONWriter()
    writer.answer(DecisionReply(report, DecisionEnvelope(id: Self.noDecision)))
    bytes = writer.take()
    place = bytes.firstIndex(of: Self.noDigit) ?? 0
  }

  /// Appends the reply and its NUL.
  package func append(_ id: DecisionID, to reply: inout [UInt8]) {
    reply.append(contentsOf: bytes[..<place])
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = 20
    var rest = id.number
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    digits.span.extracting(start..<20).withUnsafeBufferPointer { reply.append(contentsOf: $0) }
    reply.append(contentsOf: bytes[(place + 1)...])
  }

  /// No decision has this number. The id is the first member, so the first digit of a reply belongs to it.
  private static let noDecision = DecisionID(number: 0)
  private static let noDigit = UInt8(ascii: "0")
}
