import Glibc
import GuardModel
import JSONText
import Testing

import webviewguard

/// The browsers' framing, byte by byte.
@Suite struct NativeMessageInputTests {
  @Test func aMessageIsFoundHoweverItComes() {
    let frame = NativeMessageOutput.frame(Array("{}".utf8))
    #expect(frame == [2, 0, 0, 0, 0x7B, 0x7D])
    var input = NativeMessageInput()
    for byte in frame.dropLast() {
      input.append([byte].span)
      #expect(input.next() == .incomplete)
    }
    input.append([0x7D].span)
    #expect(input.next() == .message([0x7B, 0x7D]))
    #expect(input.next() == .incomplete)
  }

  @Test func severalMessagesInOnePieceAreSeveral() {
    var input = NativeMessageInput()
    let frames = NativeMessageOutput.frame([1]) + NativeMessageOutput.frame([]) + NativeMessageOutput.frame([2, 3])
    input.append(frames.span)
    #expect([input.next(), input.next(), input.next()] == [.message([1]), .message([]), .message([2, 3])])
    #expect(input.next() == .incomplete)
  }

  @Test(arguments: [1, 3, 4096, 1 << 20]) func whatIsTooLongIsPassedOverWhole(_ piece: Int) {
    let length = NativeMessageInput.maximumLength + 1
    let header = withUnsafeBytes(of: UInt32(length)) { Array($0) }
    let bytes = header + [UInt8](repeating: 7, count: length) + NativeMessageOutput.frame([9])
    var input = NativeMessageInput()
    var found: [NativeMessageInput.Step] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      input.append(bytes[start..<min(start + piece, bytes.count)].span)
      while true {
        let step = input.next()
        guard step != .incomplete else { break }
        found.append(step)
      }
    }
    #expect(found == [.tooLong(UInt32(length)), .message([9])])
  }

  @Test func theLongestMessageIsTaken() {
    var input = NativeMessageInput()
    let message = [UInt8](repeating: 1, count: NativeMessageInput.maximumLength)
    input.append(NativeMessageOutput.frame(message).span)
    #expect(input.next() == .message(message))
  }
}

/// Which messages are calls, and what they may say.
@Suite struct NativeCallTests {
  private func call(_ text: String) throws -> NativeCall { try NativeCall(JSONTree(parsing: text)) }

  @Test func aCallSaysWhatItIs() throws {
    #expect(try call(#"{"id":1,"call":"hello"}"#) == .hello(app: nil, languages: [], features: []))
    #expect(try call(#"{"id":1,"call":"identity","account":""}"#) == .identity(account: ""))
    #expect(try call(#"{"id":1,"call":"forgetViewer","viewer":"tab-1"}"#) == .forgetViewer("tab-1"))
    #expect(try call(#"{"id":1,"call":"open","decision":"7"}"#) == .open(decision: "7"))
    #expect(try call(#"{"id":1,"call":"rules"}"#) == .rules(viewerClass: nil))
    #expect(
      try call(#"{"id":1,"call":"navigate","viewer":"tab-1","url":"https://x/","hop":true,"from":null}"#)
        == .ask(.navigate, [.init("viewer", "tab-1"), .init("url", "https://x/"), .init("hop", true)]))
  }

  @Test(arguments: [
    (#"{"id":1}"#, NativeRefusal.notAMessage), (#"[]"#, .notAMessage), (#"{"id":1,"call":7}"#, .notAMessage),
    (#"{"id":1,"call":"Attach"}"#, .unknownCall), (#"{"id":1,"call":"reload"}"#, .unknownCall),
    (#"{"id":1,"call":"identity"}"#, .wrongMember("account")),
    (#"{"id":1,"call":"identity","account":null}"#, .wrongMember("account")),
    (#"{"id":1,"call":"registerViewer","viewer":1}"#, .wrongMember("viewer")),
    (#"{"id":1,"call":"copy","text":"secret"}"#, .unknownMember("text")),
    (#"{"id":1,"call":"copy","owner":"x"}"#, .unknownMember("owner")),
    (#"{"id":1,"call":"navigate","deadline":1}"#, .unknownMember("deadline")),
  ]) func whatIsNoCallIsRefused(_ text: String, _ refusal: NativeRefusal) {
    #expect(throws: refusal) { try call(text) }
  }

  @Test func everyQuestionHasItsMethod() {
    let methods = NativeQuestion.allCases.map(\.method)
    #expect(
      methods == ["Navigate", "Download", "Upload", "Copy", "Paste", "ClipboardChanged", "DragEnd", "Print"])
  }
}

/// What is said again to a daemon that was started anew.
@Suite struct SpokenStateTests {
  private func names(_ state: SpokenState) -> [String] {
    state.replay.map { call in
      [call.method, call.parameters["viewer"]?.string].compactMap(\.self).joined(separator: " ")
    }
  }

  @Test func identitiesComeBeforeViewersInTheirOrder() {
    var state = SpokenState()
    _ = state.register("b", [.init("viewer", "b")])
    _ = state.register("a", [.init("viewer", "a"), .init("opener", "b")])
    _ = state.setAccount("work@contoso.com")
    #expect(names(state) == ["SetIdentity", "RegisterViewer b", "RegisterViewer a"])
    #expect(state.replay.last?.parameters["opener"] == "b")
  }

  @Test func whoIsForgottenOpensNothing() {
    var state = SpokenState()
    _ = state.register("b", [.init("viewer", "b")])
    _ = state.register("a", [.init("viewer", "a"), .init("opener", "b")])
    _ = state.forget("b")
    #expect(state.replay.map(\.parameters) == [["viewer": "a"]])
  }

  @Test func theLatestDocumentIsTheOneThatIsSaid() {
    var state = SpokenState()
    _ = state.register("a", [.init("viewer", "a"), .init("class", "c"), .init("document", "https://x/1")])
    _ = state.setDocument("a", [.init("viewer", "a"), .init("document", "https://x/2")])
    _ = state.register("a", [.init("viewer", "a"), .init("window", "w")])
    #expect(state.replay.map { $0.parameters["document"] } == ["https://x/2"])
    #expect(state.replay.map { $0.parameters["class"] } == ["c"])
    _ = state.setDocument("a", [.init("viewer", "a")])
    #expect(state.replay.map { $0.parameters["document"] } == [nil])
  }
}

/// The failure contract as it is read.
@Suite struct ContractFileTests {
  @Test func whatIsMissingOrStrangeIsClosed() throws {
    let contract = ContractFile.contract(
      try JSONTree(parsing: #"{"answerMs":0,"startMs":3000,"navigation":"open","clipboard":"ajar","other":7}"#))
    var expected = FailureContract()
    expected.startMilliseconds = 3000
    expected.navigation = .open
    #expect(contract == expected)
    #expect(ContractFile.contract(.null) == FailureContract())
  }

  @Test func aContractCountsOnlyWhenNobodyElseCanWriteIt() throws {
    let directory = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(directory) }
    let path = directory + "/contract.json"
    #expect(ContractFile.read(path) == FailureContract())
    try TextFile.write(Array(#"{"navigation":"open"}"#.utf8), to: path)
    #expect(ContractFile.read(path).navigation == .open)
    #expect(chmod(path, 0o666) == 0)
    #expect(ContractFile.read(path).navigation == .closed)
  }
}

/// Which questions are one action.
@Suite struct ActionNamesTests {
  @Test func oneViewerAndURLIsOneAction() {
    var names = ActionNames()
    let first = names.name(viewer: "a", url: "https://x/")
    #expect(names.name(viewer: "a", url: "https://x/") == first)
    #expect(names.name(viewer: "b", url: "https://x/") != first)
    #expect(names.name(viewer: "a", url: "https://x/2") != first)
  }
}
