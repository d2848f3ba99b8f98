package import JSONText

extension JSONWriter {
  /// Writes a call and its NUL.
  ///
  ///     writer.call("org.webviewguard.Admin.Monitor", CallText(), replies: .more)
  ///     // {"method":"org.webviewguard.Admin.Monitor","parameters":{},"more":true} and a NUL
  package mutating func call(_ method: String, _ parameters: CallText = CallText(), replies: ReplyMode = .one) {
    beginObject()
    member("method", method)
    key("parameters")
    raw(parameters.json.span)
    member("more", ifTrue: replies == .more)
    member("oneway", ifTrue: replies == .none)
    endObject()
    endDocument(0)
  }
}
