/// `GetInterfaceDescription` of `org.varlink.service`.
package struct GetInterfaceDescriptionCall: Call, Hashable {
  package var interface = ""

  package init() {}

  package static let parameters = ParameterTable<GetInterfaceDescriptionCall>([.text("interface", \.interface)])
}

/// The use of a URL: the `for` of a rule.
package enum ClassifySubject: String, Sendable, Hashable, CaseIterable {
  case page
  case frame
  case resource
  case download
  case upload
  case paste
}

/// `Classify` of `org.webviewguard.Rules`.
package struct ClassifyCall: Call, Hashable {
  package var ruleSet = ""
  package var url = ""
  package var document: String?
  package var from: String?
  package var hop: Bool?
  package var subject: ClassifySubject?

  package init() {}

  package static let parameters = ParameterTable<ClassifyCall>([
    .name("ruleSet", \.ruleSet), .text("url", \.url), .optionalText("document", \.document),
    .optionalText("from", \.from), .optionalBool("hop", \.hop), .optionalWord("for", .subject, \.subject),
  ])
}

/// `Explain` of `org.webviewguard.Rules`.
package struct ExplainCall: Call, Hashable {
  /// The id of the decision, as the caller wrote it.
  package var decision = ""

  package init() {}

  package static let parameters = ParameterTable<ExplainCall>([.name("decision", \.decision)])
}
