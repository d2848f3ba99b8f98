package import GuardModel
package import JSONText

/// `FileCreated`: a file or directory is new, or was emptied.
package struct FileCreatedCall: Call, Hashable {
  /// The label of the directory that it lies in: its bytes in hexadecimal digits. A text that is none is a broken label.
  package var directory: String?
  package var file: String?
  /// Nil: the extended attribute.
  package var store: LabelStore?

  package init() {}

  package static let parameters = ParameterTable<FileCreatedCall>([
    .optionalText("directory", \.directory), .optionalText("file", \.file),
    .optionalWord("store", .labelStore, \.store),
  ])
}

/// `ReadLabel`: whose is this file?
package struct ReadLabelCall: Call, Hashable {
  package var label: String?
  package var file: String?
  package var origin: String?

  package init() {}

  package static let parameters = ParameterTable<ReadLabelCall>([
    .optionalText("label", \.label), .optionalText("file", \.file), .optionalText("origin", \.origin),
  ])
}

/// `SetOwner`: a file is this account's from now on.
package struct SetOwnerCall: Call, Hashable {
  /// Empty: nobody's.
  package var account = ""
  package var label: String?
  package var file: String?
  package var origin: String?
  package var store: LabelStore?

  package init() {}

  package static let parameters = ParameterTable<SetOwnerCall>([
    .text("account", \.account), .optionalText("label", \.label), .optionalText("file", \.file),
    .optionalText("origin", \.origin), .optionalWord("store", .labelStore, \.store),
  ])
}

/// The reply to `FileCreated` and to `SetOwner`.
package struct LabelReply: Reply, Sendable, Hashable {
  package var owner: FileOwner
  /// The bytes for the attribute, in hexadecimal digits; nil for none.
  package var label: String?
  /// The program has to seal the file, since nothing keeps its owner.
  package var mustSeal = false

  package init(_ owner: FileOwner, label: String? = nil, mustSeal: Bool = false) {
    (self.owner, self.label, self.mustSeal) = (owner, label, mustSeal)
  }

  package func writeParameters(to writer: inout JSONWriter) {
    owner.writeMembers(to: &writer)
    writer.member("mustSeal", mustSeal)
    writer.member("label", ifPresent: label)
  }
}

/// The reply to `ReadLabel`.
extension FileOwner: Reply {
  package func writeParameters(to writer: inout JSONWriter) { writeMembers(to: &writer) }

  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("standing", standing.rawValue)
    writer.member("owner", ifPresent: account)
    writer.member("mustEncrypt", mustEncrypt)
  }
}
