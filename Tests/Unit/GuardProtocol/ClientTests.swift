internal import GuardModel
import GuardProtocol
import JSONText
import Testing
internal import WebViewGuardClient

/// What a client writes is what the service reads, and the other way round.
@Suite struct ClientTests {
  @Test func callsAreWritten() throws {
    #expect(written { $0.call("a.B") } == #"{"method":"a.B","parameters":{}}"#)
    #expect(written { $0.call("a.B", replies: .more) } == #"{"method":"a.B","parameters":{},"more":true}"#)
    #expect(written { $0.call("a.B", replies: .none) } == #"{"method":"a.B","parameters":{},"oneway":true}"#)
    let text = try CallText(#" {"decision": "42"} "#.utf8.span)
    let frame = written { $0.call("org.webviewguard.Rules.Explain", text) }
    #expect(refusal(of: frame) == nil)
  }

  private func refusal(of frame: String) -> ServiceError? {
    var decoder = RequestDecoder(serving: .adminSocket)
    guard case .request(let request) = decoder.decode(frame.utf8.span), case .rules(let method) = request.method else {
      return .permissionDenied
    }
    do throws(ServiceError) {
      _ = try request.rulesCall(method)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["", "{", "[]", "1", "{}{}", "{}\0{\"method\":\"a.B\"}", "{\"a\":1,\"a\":2}"])
  func parametersThatAreNoObjectAreNotSent(_ text: String) {
    #expect(throws: FrameFault.self) { try CallText(text.utf8.span) }
  }

  @Test func methodNamesAreEscaped() throws {
    let frame = written { $0.call("a\0\"b") }
    var parser = JSONParser()
    #expect(try parser.parse(frame.utf8.span)["method"]?.string == "a\0\"b")
  }

  @Test func repliesAreRead() throws {
    var decoder = ReplyDecoder()
    let more = try decoder.decode(written { $0.answer(MonitorReply.full, continues: true) }.utf8.span)
    #expect(more.error == nil)
    #expect(more.continues == true)
    #expect(more.parameters?["decision"]?["id"]?.string == "42")
  }

  @Test func errorRepliesAreRead() throws {
    var decoder = ReplyDecoder()
    let failed = try decoder.decode(written { $0.answer(Refusal.unknownViewer("E")) }.utf8.span)
    #expect(failed.error == "org.webviewguard.Guard.UnknownViewer")
    #expect(failed.parameters?["viewer"]?.string == "E")
    #expect(failed.continues == false)
  }

  @Test func repliesOfNewerServicesAreRead() throws {
    var decoder = ReplyDecoder()
    let reply = try decoder.decode(#"{"error":null,"continues":null,"parameters":{"new":1},"other":[]}"#.utf8.span)
    #expect(reply.error == nil)
    #expect(reply.continues == false)
    #expect(reply.parameters?["new"]?.int == 1)
  }

  /// An error that is malformed must not look like an answer.
  @Test(arguments: ["", "[]", "null", #"{"error":5}"#, #"{"continues":1}"#, #"{"parameters":[]}"#, #"{"error":"#])
  func whatIsNoReplyIsRefused(_ frame: String) {
    #expect(throws: FrameFault.self) {
      var decoder = ReplyDecoder()
      _ = try decoder.decode(frame.utf8.span)
    }
  }
}
