package import GuardModel
package import JSONText

/// The reply to `WhoAmI`: how the service sees the caller.
package struct WhoAmIReply: Reply, Sendable, Hashable {
  package var uid: UInt32
  /// By name; by number where they have none.
  package var groups: [String]
  package var unit: String?
  package var label: String?
  /// Nil when the caller matches no app, or several.
  package var app: String?
  /// The name of the app's own socket it came through.
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
  package var contract: FailureContract
  package var generation: Generation

  package init(
    instance: String, app: String, features: [String], contract: FailureContract, generation: Generation
  ) {
    self.instance = instance
    self.app = app
    self.features = features
    self.contract = contract
    self.generation = generation
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("instance", instance)
    writer.member("app", app)
    writer.member("features", features)
    writer.key("contract")
    writer.value(contract)
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
  }
}

/// The reply to `RegisterViewer`: how the viewer resolves now.
package struct RegisterViewerReply: Reply, Sendable, Hashable {
  package var policy: WebViewPolicy
  package var policySource: PolicySource
  package var ruleSet: String?

  package init(policy: WebViewPolicy, policySource: PolicySource, ruleSet: String? = nil) {
    self.policy = policy
    self.policySource = policySource
    self.ruleSet = ruleSet
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("policy", policy.name)
    writer.member("policySource", policySource.rawValue)
    writer.member("ruleSet", ifPresent: ruleSet)
  }
}

/// The reply to `SetWebViewPolicy`: how the viewer resolves now.
package struct SetWebViewPolicyReply: Reply, Sendable, Hashable {
  package var policy: WebViewPolicy
  package var policySource: PolicySource

  package init(policy: WebViewPolicy, policySource: PolicySource) {
    self.policy = policy
    self.policySource = policySource
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("policy", policy.name)
    writer.member("policySource", policySource.rawValue)
  }
}

/// The reply to `SetIdentity`. Accounts are nil for inherited and `""` for nobody.
package struct SetIdentityReply: Reply, Sendable, Hashable {
  /// What the level had before.
  package var previous: String?
  package var effectiveUI: String?
  package var effectiveFile: String?
  /// The level that `effectiveUI` comes from.
  package var level: IdentityLevel
  /// What came of the switch, when the app asked for one; unless it is `success`, nothing changed.
  package var result: SwitchResult?

  package init(
    previous: String? = nil, effectiveUI: String? = nil, effectiveFile: String? = nil, level: IdentityLevel,
    result: SwitchResult? = nil
  ) {
    self.previous = previous
    self.effectiveUI = effectiveUI
    self.effectiveFile = effectiveFile
    self.level = level
    self.result = result
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("previous", ifPresent: previous)
    writer.member("effectiveUI", ifPresent: effectiveUI)
    writer.member("effectiveFile", ifPresent: effectiveFile)
    writer.member("level", level.rawValue)
    writer.member("result", ifPresent: result?.rawValue)
  }
}
