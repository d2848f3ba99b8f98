package import GuardModel
package import JSONText

/// The reply to `WhoAmI`: the caller as the service sees it.
package struct WhoAmIReply: Reply, Sendable, Hashable {
  package var uid: UInt32
  /// By name; a group without a name by number.
  package var groups: [String]
  package var unit: String?
  package var label: String?
  /// Nil when the caller matches no app or several.
  package var app: String?
  /// The name of the app's own socket that the call came through.
  package var socket: String?

  package init(
    uid: UInt32, groups: [String], unit: String? = nil, label: String? = nil, app: String? = nil, socket: String? = nil
  ) {
    self.uid = uid
    self.groups = groups
    self.unit = unit
    self.label = label
    self.app = app
    self.socket = socket
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("uid", Int(uid))
    writer.member("groups", groups)
    writer.member("unit", ifPresent: unit)
    writer.member("label", ifPresent: label)
    writer.member("app", ifPresent: app)
    writer.member("socket", ifPresent: socket)
  }
}

/// The reply to `Attach`.
package struct AttachReply: Reply, Sendable, Hashable {
  /// The instance's token.
  package var instance: String
  package var app: String
  package var features: [String]
  /// What the instance did not claim; left out when that is nothing.
  package var missing: [MissingFeature]
  package var contract: FailureContract
  /// What notices show of the organisation, in the user's languages.
  package var organization: Organization?
  package var generation: Generation

  package init(
    instance: String, app: String, features: [String], missing: [MissingFeature] = [], contract: FailureContract,
    organization: Organization? = nil, generation: Generation
  ) {
    self.instance = instance
    self.app = app
    self.features = features
    self.missing = missing
    self.contract = contract
    self.organization = organization
    self.generation = generation
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("instance", instance)
    writer.member("app", app)
    writer.member("features", features)
    writeMissing(to: &writer)
    writer.key("contract")
    writer.value(contract)
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
    writer.member("organization", ifPresent: organization)
  }

  private func writeMissing(to writer: inout JSONWriter) {
    guard !missing.isEmpty else { return }
    writer.key("missing")
    writer.beginArray()
    for feature in missing {
      writer.beginObject()
      writer.member("feature", feature.word)
      writer.member("cost", feature.cost)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension JSONWriter {
  /// What the policy states of the organisation; left out when that is nothing.
  mutating func member(_ name: StaticString, ifPresent organization: Organization?) {
    guard let organization else { return }
    key(name)
    beginObject()
    member("name", ifPresent: organization.name)
    member("contact", ifPresent: organization.contact)
    member("contactLink", ifPresent: organization.contactLink)
    member("color", ifPresent: organization.color)
    member("darkColor", ifPresent: organization.darkColor)
    endObject()
  }
}

/// The replies to the calls that change the state of an app.
extension StateReply: Reply {
  package func writeParameters(to writer: inout JSONWriter) {
    switch self {
    case .done: break
    case .viewer(let policy, let source, let ruleSet):
      writer.member("policy", policy.name)
      writer.member("policySource", source.rawValue)
      writer.member("ruleSet", ifPresent: ruleSet)
    case .policy(let policy, let source):
      writer.member("policy", policy.name)
      writer.member("policySource", source.rawValue)
    case .identity(let reply):
      writer.member("previous", ifPresent: reply.previous)
      writer.member("effectiveUI", ifPresent: reply.effectiveUI)
      writer.member("effectiveFile", ifPresent: reply.effectiveFile)
      writer.member("level", reply.level.rawValue)
      writer.member("result", ifPresent: reply.result?.rawValue)
      writer.member("reason", ifPresent: reply.reason?.rawValue)
    }
  }
}
