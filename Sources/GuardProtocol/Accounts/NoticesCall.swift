package import GuardModel
package import JSONText

/// `Notices`: what the caller's person is to be told.
package struct NoticesCall: Call, Hashable {
  /// The person's languages as BCP 47 tags, the preferred first.
  package var languages: [String] = []

  package init() {}

  package static let parameters = ParameterTable<NoticesCall>([.texts("languages", \.languages)])
}

/// The reply to `Notices`.
package struct NoticesReply: Reply, Sendable, Hashable {
  package var notices: [PersonNotice]

  package init(_ notices: [PersonNotice]) { self.notices = notices }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("notices")
    writer.beginArray()
    for notice in notices {
      writer.beginObject()
      writer.member("id", notice.id)
      writer.member("title", ifPresent: notice.title)
      writer.member("text", notice.text)
      writer.endObject()
    }
    writer.endArray()
  }
}
