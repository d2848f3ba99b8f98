/// The running instances of each person. A call about one person looks at the programs of that person alone, however many
/// others run theirs.
///
///     state.instances(ofPerson: 1000)    // in the order of their places, as a walk through all instances has them
struct RunningInstances: Sendable {
  private var ids: [UInt32: [InstanceID]] = [:]

  subscript(person: UInt32) -> [InstanceID] { ids[person] ?? [] }

  /// A person has few instances (`StateLimits.instancesPerUser`): to keep them in order costs little.
  mutating func add(_ id: InstanceID, of person: UInt32) {
    let later = ids[person]?.firstIndex { $0.index > id.index }
    ids[person, default: []].insert(id, at: later ?? ids[person]?.count ?? 0)
  }

  mutating func remove(_ id: InstanceID, of person: UInt32) {
    ids[person]?.removeAll { $0 == id }
    if ids[person]?.isEmpty ?? false { ids[person] = nil }
  }
}

extension GuardState {
  func instances(ofPerson person: UInt32) -> [InstanceID] { running[person] }

  func instances(of holder: AccountHolder) -> [InstanceID] {
    running[holder.person].filter { instances[$0.place]?.appNumber == holder.app }
  }

  func isRunning(_ holder: AccountHolder) -> Bool {
    running[holder.person].contains { instances[$0.place]?.appNumber == holder.app }
  }

  /// The protections that bind every account of a person, by the groups of the running programs of an app.
  func groupProtections(of holder: AccountHolder) -> ProtectionSet {
    instances(of: holder).reduce(into: ProtectionSet()) { found, id in
      found = found.union(instances[id.place]?.groupProtections ?? ProtectionSet())
    }
  }
}
