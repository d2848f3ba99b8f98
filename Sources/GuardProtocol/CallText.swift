internal import JSONText

/// The parameters of a call that a client sends, as JSON that was checked to be an object.
///
/// Checked, because what is no JSON could hold a NUL and so a second call.
package struct CallText: Sendable, Hashable {
  let json: [UInt8]

  /// No parameters.
  package init() { json = Array("{}".utf8) }

  /// The parameters that someone wrote; throws when it is no JSON object.
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

/// What a client wants back.
package enum ReplyMode: Sendable, Hashable {
  /// One reply.
  case one
  /// As many as there are.
  case more
  /// None.
  case none
}
