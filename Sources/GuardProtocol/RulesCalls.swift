package import GuardModel
package import JSONText

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

/// The reason for a rule set's verdict on a URL.
package enum VerdictReason: String, Sendable, Hashable, CaseIterable {
  case matched
  case `default`
  /// No browser would open the text.
  case invalidURL
}

/// The reply to `Classify`. `ClassifyReply()` is the one for a text that is no URL.
package struct ClassifyReply: Reply, Sendable, Hashable {
  package var verdict = Verdict.external
  /// The rule's id, or `default`; nil for an invalid URL.
  package var rule: String?
  /// `file:line:column` of the rule.
  package var ruleLocation: String?
  package var reason = VerdictReason.invalidURL
  /// The URL as the rules saw it; nil for an invalid one.
  package var url: String?

  package init() {}

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("verdict", verdict.name)
    writer.member("rule", ifPresent: rule)
    writer.member("ruleLocation", ifPresent: ruleLocation)
    writer.member("reason", reason.rawValue)
    writer.member("url", ifPresent: url)
  }
}

/// The reply to `Explain`.
package struct ExplainReply: Reply, Sendable, Hashable {
  /// The steps of the procedure in order, one line each.
  package var steps: [String]
  package var decision: DecisionReply

  package init(steps: [String], decision: DecisionReply) {
    self.steps = steps
    self.decision = decision
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("steps", steps)
    decision.writeParameters(to: &writer)
  }
}
