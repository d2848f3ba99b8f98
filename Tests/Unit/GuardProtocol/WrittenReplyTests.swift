import Bytes
import GuardModel
import GuardProtocol
import JSONText
import Testing

/// A reply that is written once and copied is the reply that would have been written.
@Suite struct WrittenReplyTests {
  @Test(arguments: [0, 1, 9, 10, 4_321_000_000_000_000_001, UInt64.max])
  func aCopyIsTheReply(number: UInt64) {
    for report in reports {
      var writer = JSONWriter()
      writer.answer(DecisionReply(report, DecisionEnvelope(id: DecisionID(number: number))))
      var copied = GrowingBytes(copying: "before".utf8.span)
      WrittenReply(report).append(DecimalCounter(number), to: &copied)
      var expected = GrowingBytes(copying: "before".utf8.span)
      expected.append(copying: writer.span)
      #expect(copied == expected)
    }
  }

  private var reports: [DecisionReport] {
    var full = DecisionReport()
    full.outcome = .redirect
    full.reason = .external
    full.rule = "0"
    full.ruleLocation = "rules/0.yaml:10:7"
    full.limit = 0
    full.open = OpenOffer(target: "managedBrowser", argv: ["0"], url: "https://0.example/?0=\"id\":\"0\"")
    return [DecisionReport(), full]
  }
}
