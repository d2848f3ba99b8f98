package import Bytes
package import GuardModel
internal import JSONText

/// The reply to an event, without the decision's id. It is written once for all decisions with the same result.
///
///     let written = WrittenReply(report, using: &writer)
///     written.append(DecimalCounter(42), to: &bytes)    // {"parameters":{"decision":{"id":"42","outcome":… and a NUL
package struct WrittenReply: Sendable {
  /// The bytes before the id, and those behind it.
  private let start: [UInt8]
  private let end: [UInt8]

  package init(_ report: DecisionReport) {
    var writer = JSONWriter()
    writer.answer(DecisionReply(report, DecisionEnvelope(id: Self.noDecision)))
    let bytes = writer.take()
    let place = bytes.firstIndex(of: Self.noDigit) ?? 0
    (start, end) = (Array(bytes[..<place]), Array(bytes[(place + 1)...]))
  }

  /// Appends the reply and its NUL. `id` has the digits of the decision's id.
  package func append(_ id: DecimalCounter, to reply: inout GrowingBytes) {
    reply.append(copying: start.span)
    reply.append(copying: id.digits)
    reply.append(copying: end.span)
  }

  /// No decision has this number. The id is the first member, so the first digit of a reply belongs to it.
  private static let noDecision = DecisionID(number: 0)
  private static let noDigit = UInt8(ascii: "0")
}
