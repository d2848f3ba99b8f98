internal import GuardModel
package import URLRules

/// Everything the daemon knows of running apps: instances with their viewers and identities, and users with their clips.
///
/// Owned by one event loop; changed only by the calls in `GuardState+…` and by `decide`.
package struct GuardState {
  package internal(set) var accounts = AccountTable()
  var instances: [Instance?] = []
  private var freeInstances: [Int32] = []
  var serials: UInt64 = 0
  var users: [UserClips] = []
  private var appNumbers: [String: Int32] = [:]
  /// The apps by their number.
  private(set) var appNames: [String] = []
  /// Something changed that has to outlive the daemon.
  package internal(set) var hasChanges = false
  package let limits: StateLimits
  /// Differs at every start of the daemon; part of every clip id.
  let epoch: UInt64
  var clipCount: UInt64 = 0
  var requestCount: UInt64 = 0

  // What decisions write into and read from while they run, kept so that nothing is allocated.
  package internal(set) var input = MatchInput()
  let runner = RegexRunner()
  /// An account's name in lower case.
  var foldedName: [UInt8] = []

  package init(epoch: UInt64, limits: StateLimits = StateLimits()) {
    self.epoch = epoch
    self.limits = limits
  }

  /// How many instances live.
  package var instanceCount: Int { instances.count - freeInstances.count }

  package func instance(_ id: InstanceID) -> Instance? {
    isLive(id) ? instances[Int(id.index)] : nil
  }

  /// Whether the instance has not ended.
  func isLive(_ id: InstanceID) -> Bool {
    instances.indices.contains(Int(id.index)) && instances[Int(id.index)]?.serial == id.serial
  }

  /// Starts a new instance of an app, with no viewers; under `serial` when its program comes back to a restarted daemon.
  package mutating func attach(
    app: Int32, peer: Peer, features: ClientFeatures = [], serial: UInt64? = nil, _ snapshot: Snapshot
  ) throws(StateError) -> InstanceID {
    let appOfPolicy = snapshot.apps[Int(app)]
    let sameUser = instances.lazy.compactMap(\.self).filter { $0.peer.uid == peer.uid }.count
    guard sameUser < limits.instancesPerUser else {
      throw .limitReached(.instances, maximum: limits.instancesPerUser)
    }
    if serial == nil { serials += 1 }
    var instance = Instance(
      serial: serial ?? serials, appName: appOfPolicy.name, peer: peer, app: app, user: userIndex(peer.uid),
      appNumber: number(ofApp: appOfPolicy.name))
    instance.features = features
    instance.groupProtection = snapshot.protection(ofGroups: peer.groups)
    instance.process = processIdentity(of: appOfPolicy, snapshot)
    instance.processIsStated = instance.process != .absent
    return insert(instance)
  }

  /// Ends an instance: its viewers and identities are gone; what its user copied stays recorded.
  package mutating func end(_ id: InstanceID) {
    guard instance(id) != nil else { return }
    instances[Int(id.index)] = nil
    freeInstances.append(id.index)
  }

  /// Goes over to a new policy: names that apps chose are looked up again, and what is gone counts as unknown.
  package mutating func adopt(_ snapshot: Snapshot) {
    accounts.adopt(snapshot)
    for index in instances.indices where instances[index] != nil {
      instances[index]?.adopt(snapshot)
      guard let app = instances[index]?.app.map({ snapshot.apps[Int($0)] }) else { continue }
      if app.identityMode == .single {
        instances[index]?.windows = ByteTable()
        instances[index]?.mixedWindows = ByteTable()
      }
      instances[index]?.rankMixedWindows(accounts, snapshot)
      let isStated = instances[index]?.processIsStated ?? false
      guard app.account != nil || isStated || instances[index]?.process == .absent else { continue }
      let process = processIdentity(of: app, snapshot)
      instances[index]?.process = process
      instances[index]?.processIsStated = process != .absent
    }
  }

  private mutating func insert(_ instance: Instance) -> InstanceID {
    let index = freeInstances.popLast() ?? Int32(instances.count)
    if index == instances.count { instances.append(nil) }
    instances[Int(index)] = instance
    return InstanceID(index: index, serial: instance.serial)
  }

  mutating func userIndex(_ uid: UInt32) -> Int {
    if let known = users.firstIndex(where: { $0.uid == uid }) { return known }
    users.append(UserClips(uid: uid))
    return users.count - 1
  }

  mutating func number(ofApp name: String) -> Int32 {
    if let known = appNumbers[name] { return known }
    appNames.append(name)
    appNumbers[name] = Int32(appNames.count - 1)
    return Int32(appNames.count - 1)
  }

  /// A fixed account; in single mode without one, the only account the policy manages (ledger WV-28).
  private mutating func processIdentity(of app: App, _ snapshot: Snapshot) -> Identity {
    if let fixed = app.account { return identity(ofPolicy: fixed, snapshot) }
    let managed = snapshot.accounts.entries.filter { entry in
      entry.protection != nil || snapshot.protection(takes: entry.foldedNames) != nil
    }
    guard app.identityMode == .single, managed.count == 1 else { return .absent }
    return identity(ofPolicy: managed[0].displayName, snapshot)
  }

  /// The identity that the policy writes as `name`: `""` is nobody. No cap applies: without room its app would run as
  /// nobody.
  private mutating func identity(ofPolicy name: String, _ snapshot: Snapshot) -> Identity {
    name.isEmpty ? .nobody : .account(accounts.number(of: name, snapshot))
  }
}

extension Snapshot {
  /// The protection that binds accounts of members of these groups; nil when none does.
  func protection(ofGroups groups: [UInt32]) -> Int32? {
    protections.firstIndex { $0.groups.contains { groups.contains($0) } }.map(Int32.init)
  }

  /// The first protection with a pattern that takes one of the names.
  package func protection(takes names: [String]) -> Int32? {
    protections.firstIndex { protection in
      protection.accountPatterns.contains { pattern in names.contains { AccountName.pattern(pattern, takes: $0) } }
    }.map(Int32.init)
  }
}

extension Instance {
  fileprivate mutating func adopt(_ snapshot: Snapshot) {
    app = snapshot.app(named: appName)
    groupProtection = snapshot.protection(ofGroups: peer.groups)
    let classes = app.map { snapshot.apps[Int($0)] }
    viewers.updateAll { viewer in
      if let name = viewer.className {
        viewer.viewerClass = classes?.viewerClass(named: name).map(Choice.index) ?? .missing
      }
      if let name = viewer.ruleSetName {
        viewer.ruleSet = snapshot.ruleSet(named: name).map(Choice.index) ?? .missing
      }
    }
  }
}
