package import JSONText

/// The answer to a call: the parameters of its reply.
package protocol Reply {
  /// Writes the members of the parameters object, in the order of the interface file, without those that are null.
  func writeParameters(to writer: inout JSONWriter)
}

/// The reply of a method that has nothing to say.
package struct EmptyReply: Reply, Sendable, Hashable {
  package init() {}

  package func writeParameters(to writer: inout JSONWriter) {}
}

extension JSONWriter {
  /// Writes a reply and its NUL.
  ///
  ///     writer.answer(EmptyReply())                     // {"parameters":{}} and a NUL
  ///     writer.answer(monitorReply, continues: true)    // more replies follow
  package mutating func answer(_ reply: some Reply, continues: Bool = false) {
    beginObject()
    key("parameters")
    beginObject()
    reply.writeParameters(to: &self)
    endObject()
    member("continues", ifTrue: continues)
    endObject()
    endDocument(0)
  }

  /// Writes an error reply and its NUL. Never for a oneway call.
  package mutating func answer(_ error: some CallError) {
    beginObject()
    member("error", error.qualifiedName)
    key("parameters")
    beginObject()
    error.writeParameters(to: &self)
    endObject()
    endObject()
    endDocument(0)
  }
}
