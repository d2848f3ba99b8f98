internal import GuardModel
internal import PolicyEngine
package import PolicyFiles

/// Stand-ins for the accounts of a log that are known only by their pseudonyms: records of decisions name the
/// protections that bound their account, and nothing else of it decides.
///
/// Each pseudonym has candidates: an account of a domain, a member of a group, or without the log's key one of those
/// that are named, where the old policy binds them as the log says. When both policies treat all of these alike, an
/// account that does not exist stands in, in a domain that is added to the same protections here and there.
///
///     *@contoso.com and *@contoso.net bound by `contoso` in both   // any account of the two decides the same
///     *@contoso.net bound by `guests` in the new one               // it is not known which: not judged, and said so
package struct RecordedBindings: Sendable {
  /// Both policies, with the domains that stand in.
  package private(set) var old: LoadedPolicy
  package private(set) var new: LoadedPolicy
  /// The protections that records name beside each pseudonym; the empty text for none.
  private let protections: [String: Set<String>]
  /// For each set of those the domain of its accounts, or why there is none.
  private var domains: [Set<String>: Domain] = [:]
  private let hasKey: Bool

  private enum Domain: Sendable {
    case known(String)
    case unknown(String)
  }

  /// - Parameters:
  ///   - protections: the protections that the log names beside each pseudonym.
  ///   - hasKey: accounts that a policy names are known by the log's key.
  package init(_ old: LoadedPolicy, _ new: LoadedPolicy, protections: [String: Set<String>], hasKey: Bool) {
    (self.old, self.new, self.hasKey) = (old, new, hasKey)
    // A decision that rests on no setting may name none.
    self.protections = protections.mapValues { $0.count > 1 ? $0.subtracting([""]) : $0 }
    let sets = Set(self.protections.values).sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
    var found: [Set<String>: Domain] = [:]
    for bound in sets { found[bound] = add(standInFor: bound, among: (old, new), number: found.count) }
    domains = found
  }

  private mutating func add(
    standInFor bound: Set<String>, among policies: (old: LoadedPolicy, new: LoadedPolicy), number: Int
  ) -> Domain {
    let treatment: Treatment
    do throws(LineProblem) { treatment = try common(to: bound, policies.old, policies.new) } catch {
      return .unknown(error.text)
    }
    let domain = "@p\(number)\(Self.reserved)"
    for index in old.protections.indices where treatment.old.contains(old.protections[index].name) {
      old.protections[index].accountPatterns.append("*" + domain)
    }
    for index in new.protections.indices where treatment.new.contains(new.protections[index].name) {
      new.protections[index].accountPatterns.append("*" + domain)
    }
    return .known(domain)
  }

  /// Domain of the stand-ins; RFC 6761 keeps it from ever being a real domain.
  private static let reserved = ".pseudonym.invalid"

  /// Whether a pattern is one of those that were added.
  static func isAdded(_ pattern: String) -> Bool { pattern.hasSuffix(reserved) }

  /// Whether records of an event name a protection of their own account, and not one of another party that forbade it.
  static func isOwn(event: String?) -> Bool { event.map(ownEvents.contains) ?? false }

  private static let ownEvents: Set<String> = ["navigate", "openURL", "copy", "print", "capture", "notify", "index"]

  // MARK: Names

  /// The name of an account that stands in for a pseudonym.
  func name(of pseudonym: String) throws(LineProblem) -> String {
    guard let bound = protections[pseudonym] else {
      throw LineProblem("the account is a pseudonym, and no record says which protection bound it")
    }
    switch domains[bound] {
    case .known(let domain)?: return "pseudonym-" + pseudonym.dropFirst("acct:".utf8.count) + domain
    case .unknown(let reason)?: throw LineProblem(reason)
    case nil: throw LineProblem("the account is a pseudonym, and no record says which protection bound it")
    }
  }

  /// Why the records of a pseudonym cannot be judged; nil when they can.
  func problem(of pseudonym: String) -> String? {
    do throws(LineProblem) { _ = try name(of: pseudonym) } catch { return error.text }
    return nil
  }

  static let advice =
    "list it under `accounts` and give --key, or let the log keep names with `log: { accounts: plain }`"
}

// Candidates for an account.
extension RecordedBindings {
  private struct Candidate {
    /// `*@contoso.com`, `a Unix group`, `work@contoso.com`
    let words: String
    let names: [String]
    var group: UInt32?
  }

  /// The protections that bind an account in each policy.
  private struct Treatment: Equatable {
    var old: Set<String>
    var new: Set<String>
    var state: AccountState
  }

  /// The common treatment of every account that may have been bound so.
  private func common(
    to bound: Set<String>, _ old: LoadedPolicy, _ new: LoadedPolicy
  ) throws(LineProblem) -> Treatment {
    let words = bound == [""] ? "no protection" : bound.sorted().quotedList
    let unknown = bound.first { name in !name.isEmpty && !old.protections.contains { $0.name == name } }
    if let unknown {
      throw LineProblem(
        "the account is a pseudonym that was bound by \(unknown.quoted), which the old policy does not have; was the log "
          + "written under it?")
    }
    let candidates = candidates(old, new).filter { candidate in
      let protections = binding(of: candidate, in: old).names
      return bound == [""] ? protections.isEmpty : protections.isSuperset(of: bound)
    }
    guard let first = candidates.first else {
      throw LineProblem(
        "the account is a pseudonym that was bound by \(words), and the old policy binds no account that is not named so; "
          + "was the log written under it?")
    }
    let treatment = treatment(of: first, old, new)
    if let other = candidates.first(where: { self.treatment(of: $0, old, new) != treatment }) {
      throw LineProblem(
        "the account is a pseudonym that may be of \(first.words.quoted) and \(other.words.quoted), which are bound "
          + "differently; \(Self.advice)")
    }
    guard treatment.state == .active else {
      throw LineProblem("the account is a pseudonym of an account that may not work; \(Self.advice)")
    }
    return treatment
  }

  private func candidates(_ old: LoadedPolicy, _ new: LoadedPolicy) -> [Candidate] {
    var found: [Candidate] = []
    for policy in [old, new] {
      for pattern in policy.protections.flatMap(\.accountPatterns) {
        let isDomain = pattern.hasPrefix("*@")
        guard isDomain || !hasKey else { continue }
        found.append(Candidate(words: pattern, names: [isDomain ? "x" + pattern.dropFirst() : pattern]))
      }
      for group in policy.protections.flatMap(\.groups) {
        found.append(Candidate(words: "a Unix group", names: [], group: group))
      }
      guard !hasKey else { continue }
      found += policy.accounts.entries.map { Candidate(words: $0.displayName, names: $0.foldedNames) }
    }
    return found
  }

  private func treatment(of candidate: Candidate, _ old: LoadedPolicy, _ new: LoadedPolicy) -> Treatment {
    let (before, after) = (binding(of: candidate, in: old), binding(of: candidate, in: new))
    return Treatment(old: before.names, new: after.names, state: after.state)
  }

  /// All protections that bind an account, as the engine finds them.
  private func binding(of candidate: Candidate, in policy: LoadedPolicy) -> (names: Set<String>, state: AccountState) {
    let entry = policy.accounts.entries.first { entry in candidate.names.contains { entry.foldedNames.contains($0) } }
    let names = entry?.foldedNames ?? candidate.names
    var found: Set<String> = []
    if let stated = entry?.protection { found.insert(policy.protections[Int(stated.place)].name) }
    for protection in policy.protections {
      let isTaken = protection.accountPatterns.contains { pattern in
        names.contains { AccountName.pattern(pattern, takes: $0) }
      }
      if isTaken || candidate.group.map(protection.groups.contains) == true { found.insert(protection.name) }
    }
    return (found, entry?.state ?? .active)
  }
}
