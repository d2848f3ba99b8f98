import CAllocationCounter
import GuardModel
import GuardProtocol
import JSONText
import Testing

/// The path of an event allocates nothing once its buffers have grown.
///
/// A promise of optimised builds only: without optimisation the compiler puts closures and temporaries on the heap.
@Suite(.enabled(if: callocation_counter_works() && isOptimized)) struct AllocationTests {
  static let navigate = Array(
    call(
      .guard(.navigate),
      """
      {"event":{"viewer":"viewer-of-the-documents","url":"https://docs.contoso.com/d/42?view=full#page=7",\
      "from":"https://intranet.contoso.com/","frame":"main","hop":false,"method":"GET","gesture":"yes",\
      "action":"action-0000000000000017","formats":["text/html","text/plain"],"clip":"clip-000000000000002a-7"}}
      """
    ).utf8)

  static let save = Array(
    call(
      .guard(.save),
      """
      {"event":{"viewer":"viewer-of-the-documents","owner":"work@contoso.com","location":"sharePoint",\
      "locationAccount":"work@contoso.com","path":"/srv/contoso/documents/plan.odt","inPlace":false,\
      "peer":"org.example.Editor.desktop","peerAccount":"me@example.org","channel":"assistant","capture":"recording",\
      "inspection":"passed"}}
      """
    ).utf8)

  @Test(arguments: [(navigate, EventKind.navigate), (save, .save)])
  func readingAnEventAllocatesNothing(_ frame: [UInt8], _ kind: EventKind) {
    var decoder = RequestDecoder(serving: .guardSocket)
    var event = EventCall()
    for _ in 0..<10 { #expect(read(frame, kind, &decoder, &event)) }
    let before = callocation_counter_count()
    var taken = 0
    for _ in 0..<10_000 where read(frame, kind, &decoder, &event) { taken += 1 }
    #expect(callocation_counter_count() - before == 0)
    #expect(taken == 10_000)
  }

  @Test func writingADecisionAllocatesNothing() {
    var writer = JSONWriter()
    let reply = DecisionReply.full
    for _ in 0..<10 { write(reply, to: &writer) }
    let before = callocation_counter_count()
    for _ in 0..<10_000 { write(reply, to: &writer) }
    #expect(callocation_counter_count() - before == 0)
  }

  @Test func theCounterCounts() {
    let before = callocation_counter_count()
    let array = [Int](repeating: 7, count: Int.random(in: 1000...2000))
    #expect(callocation_counter_count() - before > 0)
    #expect(array.last == 7)
  }

  private func read(
    _ frame: [UInt8], _ kind: EventKind, _ decoder: inout RequestDecoder, _ event: inout EventCall
  ) -> Bool {
    guard case .request(let request) = decoder.decode(frame.span),
      case .guard(let method) = request.method
    else { return false }
    do throws(ServiceError) {
      return try request.guardCall(method, event: &event) == .decide(kind)
    } catch {
      return false
    }
  }

  private func write(_ reply: DecisionReply, to writer: inout JSONWriter) {
    writer.reset()
    writer.answer(reply)
  }
}

#if DEBUG
  private let isOptimized = false
#else
  private let isOptimized = true
#endif
