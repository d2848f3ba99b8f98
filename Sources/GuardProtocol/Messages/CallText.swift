internal import JSONText

/// The parameters of a call that a client sends, as JSON that was checked to be an object.
///
/// Without the check, the text could hold a NUL and with it a second call.
package struct CallText: Sendable, Hashable {
  let json: [UInt8]

  /// No parameters.
  package init() { json = Array("{}".utf8) }

  /// The parameters from a text; throws when it is no JSON object.
  ///
  ///     try CallText(#"{"decision":"42"}"#.utf8.span)
  package init(_ json: Span<UInt8>) throws(FrameFault) {
    var parser = JSONParser()
    let kind: JSONKind
    do throws(JSONError) {
      kind = try parser.parse(json).kind
    } catch {
      throw .notJSON(error)
    }
    guard kind == .object else { throw .notAMessage }
    self.json = json.withUnsafeBufferPointer { Array($0) }
  }
}

/// The replies that a client wants back.
package enum ReplyMode: Sendable, Hashable {
  /// One reply.
  case one
  /// All replies.
  case more
  /// None.
  case none
}
