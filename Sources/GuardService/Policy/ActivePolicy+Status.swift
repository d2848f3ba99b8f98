internal import GuardModel
package import GuardProtocol
package import PolicyEngine
internal import PolicyFiles

/// The policy's part of `Status`, `Health` and `Metrics`.
extension ActivePolicy {
  /// Fills in the policy's part of `Status`.
  package func describe(_ status: inout StatusReply, _ snapshot: Snapshot) {
    status.state = snapshot.hasPolicy ? .ok : .noPolicy
    status.generation = snapshot.generation
    status.loadedAt = loadedAt
    status.lastError = lastError
    status.nextExpiry = nextExpiry == .max ? nil : nextExpiry
    status.lists = loaded?.lists.map(RuleListStatus.init) ?? []
    status.apps = snapshot.apps.count
    status.exceptions = exceptions.inForce.isEmpty ? nil : exceptions.inForce.count
    status.nextExceptionEnd = exceptions.inForce.isEmpty ? nil : exceptions.nextEnd
    var policy = PolicyStatus()
    policy.origin = snapshot.hasPolicy ? origin : nil
    policy.lastLoad = lastLoad
    policy.kept = kept.map { KeptPolicyStatus(digest: $0.digest, since: $0.since) }
    policy.keepError = keepError
    policy.rolledBackFrom = mark?.from ?? []
    (policy.checkIn, policy.checkInFailure) = (checkIns.last, checkIns.failure)
    status.policy = policy
  }

  /// The policy's state, in one line for the service manager.
  package func standing(_ snapshot: Snapshot) -> String {
    if snapshot.hasPolicy {
      return "generation \(snapshot.generation.number) is in force" + (lastError == nil ? "" : "; the last load failed")
    }
    return snapshot.policyRequired ? "no policy: everything is blocked" : "no policy: everything is allowed"
  }

  // MARK: Problems

  package func problems(_ snapshot: Snapshot) -> [HealthProblem] {
    [policyProblem(snapshot), snapshot.hasPolicy ? originProblem : nil, loadProblem, keepProblem].compactMap(\.self)
  }

  private func policyProblem(_ snapshot: Snapshot) -> HealthProblem? {
    guard !snapshot.hasPolicy else { return nil }
    return HealthProblem(
      .noPolicy, "no policy is loaded: everything is \(snapshot.policyRequired ? "blocked" : "allowed")")
  }

  private var originProblem: HealthProblem? {
    switch origin {
    case .disk: return nil
    case .lastGood:
      return HealthProblem(
        .lastGood, "the last good policy is in force, since the configuration on disk cannot be loaded")
    case .rolledBack:
      return HealthProblem(.rolledBack, "the policy was rolled back: the configuration on disk is not in force")
    }
  }

  private var keepProblem: HealthProblem? {
    guard let keepError, store != nil else { return nil }
    return HealthProblem(.policyNotKept, "a bad configuration at the next start could not fall back: \(keepError)")
  }

  private var loadProblem: HealthProblem? {
    guard let error = lastError else { return nil }
    // Hints stand indented below their findings.
    let findings = error.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    let first = findings.first ?? ""
    let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
    return HealthProblem(.loadFailed, "the last load failed: \(first)\(more)")
  }

  // MARK: Metrics

  func describe(_ text: inout MetricsText, _ snapshot: Snapshot) {
    text.single("webviewguard_apps", .gauge, "Apps of the policy.", UInt64(snapshot.apps.count))
    text.single(
      "webviewguard_policy_generation", .gauge, "The number of the policy in force; 0 before any loaded.",
      snapshot.generation.number)
    text.family("webviewguard_policy_info", .gauge, "The digest of the policy in force.")
    if snapshot.hasPolicy { text.sample("webviewguard_policy_info", ["digest": snapshot.generation.digest], 1) }
    text.family(
      "webviewguard_policy_loaded_time_seconds", .gauge, "When the policy in force loaded, in seconds since 1970.")
    if let loadedAt { text.sample("webviewguard_policy_loaded_time_seconds", seconds: loadedAt) }
    text.single(
      "webviewguard_last_load_ok", .gauge, "Whether the last load put its policy in force.",
      lastError == nil ? 1 : 0)
    text.family("webviewguard_loads_total", .counter, "Loads of the policy, by what came of them.")
    text.sample("webviewguard_loads_total", ["result": "ok"], loads)
    text.sample("webviewguard_loads_total", ["result": "failed"], failedLoads)
    text.family(
      "webviewguard_check_in_time_seconds", .gauge,
      "When the policy was last fetched from its distributor, in seconds since 1970.")
    if let checkIn = checkIns.last { text.sample("webviewguard_check_in_time_seconds", seconds: checkIn.time) }
    text.family("webviewguard_next_expiry_time_seconds", .gauge, "When the next rule expires, in seconds since 1970.")
    if nextExpiry != .max {
      text.sample("webviewguard_next_expiry_time_seconds", seconds: nextExpiry)
    }
    let lists = loaded?.lists ?? []
    text.family("webviewguard_list_entries", .gauge, "Entries of a list that rules name.")
    for list in lists {
      text.sample("webviewguard_list_entries", ["file": list.path], UInt64(clamping: list.entries))
    }
    text.family("webviewguard_list_bad_lines", .gauge, "Lines of a list that could not be read.")
    for list in lists {
      text.sample("webviewguard_list_bad_lines", ["file": list.path], UInt64(clamping: list.badLines))
    }
  }
}

extension RuleListStatus {
  fileprivate init(_ list: ListFile) {
    self.init(
      file: list.path, format: list.format.rawValue, entries: list.entries, badLines: list.badLines,
      modified: list.modified.map { UInt64(clamping: $0) &* 1000 })
  }
}
