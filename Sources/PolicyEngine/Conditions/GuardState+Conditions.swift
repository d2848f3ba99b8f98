internal import GuardModel

/// Conditions, and the standings of accounts by them (design, accounts, section 5).
extension GuardState {
  /// Takes the facts as they are now: all of them, in place of the earlier ones.
  package mutating func setFacts(_ facts: [String: Fact], _ snapshot: Snapshot) {
    let isFirst = !book.hasFacts
    book.facts = facts
    book.hasFacts = true
    judgeConditions(snapshot)
    // An earlier daemon's wipe for a bad word ends when the time of that word is over.
    if isFirst { judgeWipes(snapshot) }
  }

  mutating func setVersions(_ version: String?, _ client: String?, of id: InstanceID, _ snapshot: Snapshot) {
    guard version != nil || client != nil else { return }
    instances[id.place]?.version = version
    instances[id.place]?.clientVersion = client
    refreshStandings(of: id, snapshot)
  }

  /// Judges the conditions, and renews the standings of accounts by them.
  mutating func judgeConditions(_ snapshot: Snapshot) {
    if book.judge(snapshot, at: time) {
      wipeBook.isStale = true
      refreshStandings(snapshot)
      // An earlier daemon's wipe goes on until facts are read.
      if book.hasFacts { judgeWipes(snapshot) }
    }
    noteConditionChanges()
  }

  /// Notes times that changed, for the state file.
  mutating func noteConditionChanges() {
    guard !book.changed.isEmpty else { return }
    if keepsPages { hasChanges = true } else { book.changed = [] }
  }

  /// The finding for each protection's conditions in an instance: conditions of the machine, and those of the versions that
  /// its program told. Empty without conditions.
  func conditionFindings(in instance: Instance, _ snapshot: Snapshot) -> [ConditionFinding] {
    guard snapshot.hasConditions else { return [] }
    return snapshot.protections.indices.map { index in
      var finding = index < book.findings.count ? book.findings[index] : ConditionFinding()
      finding.add(instance.finding(of: snapshot.protections[index]))
      return finding
    }
  }

  /// The condition for which an account may not work in an instance: of the strictest protection that binds it.
  func decidingCondition(of account: AccountID, in id: InstanceID, _ snapshot: Snapshot) -> LaunchCondition? {
    guard let instance = instance(id) else { return nil }
    var found = ConditionFinding()
    var condition: LaunchCondition?
    instance.protections(of: account, accounts).forEach { index in
      let (place, before) = (Int(index.place), found)
      guard place < instance.standings.conditions.count else { return }
      found.add(instance.standings.conditions[place])
      guard found != before, let decides = found.condition else { return }
      let conditions = snapshot[index].conditions
      condition = decides < conditions.count ? conditions[decides] : nil
    }
    return found.verdict.state == .active ? nil : condition
  }
}

extension Instance {
  /// The finding for the versions of an instance. They are the program's own word: an untold one is not checked, since every
  /// program can tell it, and no word of a program destroys anything.
  func finding(of protection: Protection) -> ConditionFinding {
    var finding = ConditionFinding()
    guard !protection.isMonitored else { return finding }
    for (place, condition) in protection.conditions.enumerated() where condition.isOfProgram {
      let told = condition.check == OwnFact.appVersion.rawValue ? version : clientVersion
      finding.add(verdict(of: condition, told), of: condition, at: place)
    }
    return finding
  }

  private func verdict(of condition: LaunchCondition, _ told: String?) -> ConditionVerdict {
    let holds = told.flatMap { condition.holds(for: .text($0)) }
    if holds == true { return .fine }
    if condition.action == .warn { return .warn }
    return holds == nil ? .notChecked : .block
  }
}

extension LaunchCondition {
  /// Whether it asks for a word of the program, and so differs between programs.
  package var isOfProgram: Bool { OwnFact(rawValue: check)?.isOfProgram ?? false }
}
