package import GuardModel
package import PolicyEngine

/// What the models know of the world, in plain words: names and dictionaries of names.
///
/// The policy is the engine's data, read field by field; nothing here calls what the engine decides with.
package struct ModelWorld: Sendable {
  package var policy: Snapshot
  package var instances: [ModelInstance] = []
  /// One of several identities that a question may count as, taken for the one.
  var assumed: ModelIdentity?
  /// It is only asked what would be answered; nothing comes of it.
  var isTrial = false
  /// What was taken away of the policy.
  var taken = Taken.nothing

  enum Taken {
    case nothing
    /// What only monitors.
    case monitored
    /// What only monitors, which are all protections: an account that nobody knows is bound by none.
    case allProtections
    /// Everything that restricts.
    case everything

    var reachesTheUnknown: Bool { self == .allProtections || self == .everything }
  }

  package init(_ policy: Snapshot) { self.policy = policy }
}

/// One running copy of an app.
package struct ModelInstance: Sendable {
  package var app: String
  package var uid: UInt32
  package var groups: [UInt32]
  package var hasEnded = false
  package var process = ModelIdentity.absent
  /// The policy says whose it is, not the app.
  package var isGiven = false
  /// Only its app knows whose data it shows, and has not said so.
  package var mustSay = false
  package var windows: [String: ModelIdentity] = [:]
  /// The windows that show several identities, with all of them.
  package var mixed: [String: [ModelIdentity]] = [:]
  /// The identities of its connections' scopes, by connection.
  package var scopes: [UInt64: ModelIdentity] = [:]
  package var canRedact = false
  package var canSwitch = false
  package var canWarn = false
  /// It tells of each change of the selections that it makes.
  package var tellsCopies = false
  package var canWrap = false
  package var canStrip = false
  /// The switches that the daemon asked for, with the last millisecond in which they may be answered.
  package var asked: [ModelRequest: UInt64] = [:]
  package var viewers: [String: ModelViewer] = [:]
  /// What viewers showed that were forgotten, by name: where that was external.
  package var left: [String: ModelViewer] = [:]

  package init(app: String, uid: UInt32, groups: [UInt32]) {
    self.app = app
    self.uid = uid
    self.groups = groups
  }
}

/// A switch that the daemon asked for: in which window, nil for the process, and what it showed.
package struct ModelRequest: Hashable, Sendable {
  package var window: String?
  package var from: ModelIdentity
  /// A URL brings the data along.
  package var isByURL = false
}

/// One viewer; parents and openers are names of others. One that its app forgot stays under the name `†` and a number.
package struct ModelViewer: Sendable {
  package var className: String?
  package var kind: ViewerKind?
  package var parent: String?
  package var opener: String?
  package var window: String?
  package var tag = WebViewPolicy.unset
  package var ruleSet: String?
  package var page = ModelPage()
  /// What the windows may show that it opened.
  package var opened = ModelPage()
  /// It shows a page that enforcing would not have opened.
  package var isAdvised = false
  /// So does the window that it opened last.
  package var opensAdvised = false

  package init() {}
}

package enum ModelIdentity: Hashable, Sendable {
  case absent
  case nobody
  /// By the name that stands for all names of the account, in lower case.
  case account(String)
}

/// What would have been answered, where the policy only monitors.
package struct ModelAdvice: Hashable, Sendable {
  package var outcome: Outcome
  package var reason: Reason
  package var cause: MonitorCause
  package var ruleSet: String?
  package var rule: Int?
}

/// What the models answer; what a step does not say stays nil.
package struct ModelDecision: Hashable, Sendable {
  package var outcome: Outcome
  package var reason: Reason
  package var flags: DecisionFlags = []
  package var policy: WebViewPolicy?
  package var policySource: PolicySource?
  package var identity = ModelIdentity.absent
  package var identityLevel = IdentityLevel.none
  package var protection: String?
  package var decider: String?
  package var verdict: Verdict?
  package var ruleSet: String?
  package var rule: Int?
  package var exception: String?
  package var target = Target.none
  package var offered: Outcome?
  package var clipOwner = ModelOwner.unmanaged
  package var clip: ClipID?
  package var limit: Int?
  package var setOwner: String?
  package var offersPrograms = false
  package var tagAs: String?
  package var switchTo: ModelIdentity?
  package var location: Location?
  package var notes: Set<String> = []
  package var advice: ModelAdvice?

  package init(_ outcome: Outcome, _ reason: Reason) {
    self.outcome = outcome
    self.reason = reason
  }
}

extension ModelInstance {
  /// Its app let go of the viewer: others may still inherit from it.
  package mutating func forget(_ name: String) {
    guard let viewer = viewers.removeValue(forKey: name) else { return }
    if viewer.page.showsExternal || viewer.opened.showsExternal { left[name] = viewer }
    let ghost = "†\(viewers.count) \(name)"
    viewers[ghost] = viewer
    for other in viewers.keys {
      if viewers[other]?.parent == name { viewers[other]?.parent = ghost }
      if viewers[other]?.opener == name { viewers[other]?.opener = ghost }
    }
  }

  /// The viewers that its app holds registered.
  package var registered: [String] { viewers.keys.filter { !$0.hasPrefix("†") } }
}
