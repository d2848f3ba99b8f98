import GuardModel
import GuardProtocol
import JSONText
import Testing

/// What the encoder writes is what the interface files promise, with everything filled in and with nothing.
@Suite struct ReplyTests {
  @Test(arguments: ReplySample.full)
  func fullRepliesHaveEveryMemberOfTheFile(_ sample: ReplySample) throws {
    let file = try interfaceFile(sample.method.interface)
    let output = try #require(file.method(sample.method.plainName)?.output)
    let judgement = try file.judge(sample.frame, output)
    #expect(judgement.complaints == [])
    #expect(judgement.keys == output.fields.map(\.name))
  }

  @Test(arguments: ReplySample.smallest)
  func smallestRepliesLeaveOutWhatIsNull(_ sample: ReplySample) throws {
    let file = try interfaceFile(sample.method.interface)
    let output = try #require(file.method(sample.method.plainName)?.output)
    let judgement = try file.judge(sample.frame, output)
    #expect(judgement.complaints == [])
    #expect(judgement.keys == output.fields.filter { !$0.type.isOptional }.map(\.name))
  }

  /// Every method has a sample.
  @Test func noReplyIsForgotten() {
    #expect(Set(ReplySample.full.map(\.method)) == Set(Method.allCases))
    #expect(Set(ReplySample.smallest.map(\.method)) == Set(Method.allCases))
  }

  @Test func aFullDecisionHasEveryMemberOfTheFile() throws {
    let file = try interfaceFile(.guard)
    let frame = written { $0.answer(DecisionReply.full) }
    let decision = try file.judge(frame, at: ["parameters", "decision"], file.type("Decision"))
    #expect(decision.complaints == [])
    #expect(decision.keys == file.type("Decision")?.fields.map(\.name))
    let advice = try file.judge(frame, at: ["parameters", "decision", "advice"], file.type("Advice"))
    #expect(advice.keys == file.type("Advice")?.fields.map(\.name))
    let open = try file.judge(frame, at: ["parameters", "decision", "open"], file.type("OpenOffer"))
    #expect(open.keys == file.type("OpenOffer")?.fields.map(\.name))
  }

  /// Every word that a decision can hold is a word of the file.
  @Test func decisionsOfEveryReasonConform() throws {
    let file = try interfaceFile(.guard)
    for reason in Reason.allCases {
      for outcome in Outcome.allCases {
        var report = DecisionReport()
        report.reason = reason
        report.outcome = outcome
        let frame = written { $0.answer(DecisionReply(report, DecisionEnvelope(id: DecisionID(number: 1)))) }
        let decision = try file.judge(frame, at: ["parameters", "decision"], file.type("Decision"))
        #expect(decision.complaints == [])
      }
    }
  }

  /// `monitored` says that the policy would have answered something else.
  @Test func theModeIsMonitoredWithAdviceOnly() {
    var report = DecisionReport()
    let envelope = DecisionEnvelope(id: DecisionID(number: 1))
    #expect(written { $0.answer(DecisionReply(report, envelope)) }.contains(#""mode":"enforced""#))
    report.advice = AdviceReport(.block, .printBlocked, .app)
    let frame = written { $0.answer(DecisionReply(report, envelope)) }
    #expect(frame.contains(#""advice":{"outcome":"block","reason":"printBlocked","cause":"app"}"#))
    #expect(frame.contains(#""mode":"monitored""#))
  }

  /// Nobody is not the same as nothing.
  @Test func aSwitchToNobodyIsWritten() {
    var report = DecisionReport()
    report.switchTo = ""
    report.notes = [.unknownOwner, .afterAdvised]
    let frame = written { $0.answer(DecisionReply(report, DecisionEnvelope(id: DecisionID(number: 1)))) }
    #expect(frame.contains(#""switchTo":"","notes":["unknownOwner","afterAdvised"]"#))
  }

  @Test func onlyRepliesThatAreFollowedContinue() {
    #expect(written { $0.answer(EmptyReply()) } == #"{"parameters":{}}"#)
    #expect(written { $0.answer(EmptyReply(), continues: true) } == #"{"parameters":{},"continues":true}"#)
  }

  @Test func repliesFollowEachOtherInOneBuffer() {
    var writer = JSONWriter()
    writer.answer(EmptyReply())
    writer.answer(ServiceError.expectedMore)
    let expected = "{\"parameters\":{}}\0{\"error\":\"org.varlink.service.ExpectedMore\",\"parameters\":{}}\0"
    #expect(writer.bytes == Array(expected.utf8))
  }

  /// A text of a stranger cannot end its string, the object or the frame.
  @Test func textsAreEscaped() throws {
    let hostile = "\"},\0\u{202E}\n"
    let frame = written { $0.answer(Refusal.unknownViewer(hostile)) }
    #expect(!frame.utf8.contains(0))
    var parser = JSONParser()
    #expect(try parser.parse(frame.utf8.span)["parameters"]?["viewer"]?.string == hostile)
  }

  @Test(arguments: Interface.allCases)
  func interfaceDescriptionsAreTheFiles(_ interface: Interface) throws {
    let served = InterfaceSet.guardSocket.contains(interface) ? InterfaceSet.guardSocket : .adminSocket
    var call = GetInterfaceDescriptionCall()
    call.interface = interface.rawValue
    let reply = try GetInterfaceDescriptionReply(call, in: served)
    let frame = written { $0.answer(reply) }
    var parser = JSONParser()
    let description = try parser.parse(frame.utf8.span)["parameters"]?["description"]?.string
    #expect(description.map { Array($0.utf8) } == interface.file)
  }

  @Test func interfacesOfAnotherSocketAreNotDescribed() {
    var call = GetInterfaceDescriptionCall()
    call.interface = "org.webviewguard.Admin"
    #expect(throws: ServiceError.interfaceNotFound("org.webviewguard.Admin")) {
      try GetInterfaceDescriptionReply(call, in: .guardSocket)
    }
  }

  @Test func countersCountByOutcome() {
    let counters = DecisionCounters(repeated: 1) { $0 == .block ? 2 : 1 }
    #expect(Outcome.allCases.map { counters[$0] } == [2, 1, 1, 1, 1, 1, 1])
    #expect(counters.repeated == 1)
  }
}
