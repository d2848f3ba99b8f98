internal import GuardModel

extension Registrations {
  /// All statements for a daemon that has lost everything, each after those that it depends on: identities of the
  /// process, viewers as they were registered, tags, rule sets, then identities of windows and of the scope.
  var statements: [Statement] {
    var said = identities(at: { $0 == .process })
    said += forgotten.map { .forget(viewer: $0) }
    var replay = Replay(registrations: self)
    said += replay.statements()
    said += identities(at: { $0 != .process && $0 != .scope })
    return said + identities(at: { $0 == .scope })
  }

  private func identities(at isMeant: (GuardClient.IdentityTarget) -> Bool) -> [Statement] {
    identities.filter { isMeant($0.level) }.map { .identity($0.level, $0.shown, gates: nil) }
  }
}

/// The viewers as statements: each after its container and its opener, and ghosts forgotten again.
private struct Replay {
  let registrations: Registrations
  private var placed: Set<Int> = []
  /// The viewers registered so far, by name.
  private var present: [Registrations.Viewer] = []

  init(registrations: Registrations) { self.registrations = registrations }

  mutating func statements() -> [Statement] {
    var said: [Statement] = []
    for viewer in registrations.viewers { register(viewer, &said) }
    said += present.compactMap(tag)
    said += present.compactMap(rules)
    return said + present.filter { !isLive($0) }.map { .forget(viewer: $0.description.name) }
  }

  private mutating func register(_ viewer: Registrations.Viewer, _ said: inout [Statement]) {
    guard placed.insert(viewer.id).inserted else { return }
    let (parent, opener) = (registrations.viewer(viewer.parent), registrations.viewer(viewer.opener))
    for above in [parent, opener].compactMap(\.self) { register(above, &said) }
    let name = viewer.description.name
    if let index = present.firstIndex(where: { $0.description.name == name }) {
      let former = present.remove(at: index)
      said += [tag(former), rules(former), .forget(viewer: name)].compactMap(\.self)
    }
    present.append(viewer)
    var description = viewer.description
    (description.parent, description.opener) = (parent?.description.name, opener?.description.name)
    said.append(.viewer(description))
    if viewer.documentIsUnknown { said.append(.document(viewer: name, url: nil)) }
  }

  private func tag(_ viewer: Registrations.Viewer) -> Statement? {
    viewer.policy.map { .policy(viewer: viewer.description.name, $0) }
  }

  private func rules(_ viewer: Registrations.Viewer) -> Statement? {
    viewer.rules.map { .rules(viewer: viewer.description.name, ruleSet: $0) }
  }

  private func isLive(_ viewer: Registrations.Viewer) -> Bool {
    registrations.live[viewer.description.name] == viewer.id
  }
}
