package import PolicyEngine
package import PolicyFiles
internal import Synchronization
internal import URLRules

/// One side of a comparison: a configuration directory, or one rule file.
package struct ComparedPath {
  let path: String
  let diagnostics: Diagnostics
  /// Nil for a rule file, and for a configuration with errors.
  package let policy: LoadedPolicy?
  /// The configuration; nil likewise.
  let configuration: ComparedConfiguration?
  let tests: [RuleSetTests]
  /// The lists that a rule file names.
  let lists: [ListFile]
  /// A directory in which nothing of a configuration lies: it was hardly meant.
  let isEmpty: Bool

  static func load(_ path: String, _ names: ComparedNames) -> ComparedPath {
    if SystemFiles().kind(of: path) == .directory {
      let result = ConfigurationLoader(roots: [path], resolver: names).load()
      return ComparedPath(
        path: path, diagnostics: result.diagnostics, policy: result.policy,
        configuration: ComparedConfiguration(result, names, root: path),
        tests: result.diagnostics.hasErrors ? [] : result.tests, lists: [], isEmpty: result.files.isEmpty)
    }
    let result = RuleFileLoader().load(path)
    return ComparedPath(
      path: path, diagnostics: result.diagnostics, policy: nil, configuration: nil,
      tests: [result.tests].compactMap(\.self), lists: result.lists, isEmpty: false)
  }
}

/// The two configurations, or the two rule files, that are compared.
package struct ComparedPaths {
  package let old: ComparedPath
  package let new: ComparedPath
  /// When rules are asked, in seconds since 1970.
  package let time: Int64

  /// Loads both. The loaders' diagnostics go to standard error.
  package static func load(_ old: String, _ new: String, at time: Int64) throws(CommandFailure) -> ComparedPaths {
    let names = ComparedNames()
    let paths = ComparedPaths(old: .load(old, names), new: .load(new, names), time: time)
    let both = [paths.old, paths.new]
    for path in both { DiagnosticPrinter.print(path.diagnostics) }
    let broken = both.filter(\.diagnostics.hasErrors).map { "`\($0.path.escapedForDisplay)`" }
    guard broken.isEmpty else {
      throw CommandFailure("\(broken.joined(separator: " and ")) cannot be loaded, so nothing is compared")
    }
    guard (paths.old.policy == nil) == (paths.new.policy == nil) else {
      throw CommandFailure("a configuration directory and a rule file cannot be compared; give two of a kind")
    }
    if let empty = both.first(where: \.isEmpty) {
      throw CommandFailure(
        "`\(empty.path.escapedForDisplay)` holds no configuration: neither `webviewguard.yaml` nor `policy.d` nor "
          + "`rules`, so nothing is compared")
    }
    return paths
  }

  /// All that the two say differently.
  package var differences: [ConfigurationDifference] {
    if let before = old.configuration, let after = new.configuration {
      return ConfigurationComparison.differences(before, after)
    }
    return zip(old.tests, new.tests).flatMap { before, after in
      ConfigurationComparison.differences(before.ruleSet, lists: old.lists, after.ruleSet, lists: new.lists)
    }
  }

  /// The policies of two configurations; nil for rule files.
  package var snapshots: (old: Snapshot, new: Snapshot)? {
    guard let before = old.policy, let after = new.policy else { return nil }
    return (before.snapshot(generation: 1, at: time), after.snapshot(generation: 2, at: time))
  }

  /// The rule sets to compare: those of two configurations by name, those of two rule files under any name.
  package var pairs: [RuleSetPair] { tests.map { RuleSetPair($0.old.ruleSet.at(time), $0.new.ruleSet.at(time)) } }

  /// The same, with their tests.
  package var tests: [(old: RuleSetTests, new: RuleSetTests)] {
    guard old.policy != nil else { return Array(zip(old.tests, new.tests)) }
    return old.tests.compactMap { before in
      new.tests.first { $0.ruleSet.name == before.ruleSet.name }.map { (before, $0) }
    }
  }

  package var onlyInOld: [String] { old.policy == nil ? [] : Self.names(of: old, notIn: new) }
  package var onlyInNew: [String] { old.policy == nil ? [] : Self.names(of: new, notIn: old) }

  private static func names(of path: ComparedPath, notIn other: ComparedPath) -> [String] {
    let known = Set(other.tests.map(\.ruleSet.name))
    return path.tests.map(\.ruleSet.name).filter { !known.contains($0) }
  }
}

/// The users and groups of two configurations that are compared, also those that this machine does not know.
///
/// The loader drops a peer of a group that is not known, so on a machine without the group `sales`, both policies would
/// seem to bind no user by it. Here such a name gets a number of its own, the same in both.
package final class ComparedNames: NameResolver {
  private let base: any NameResolver
  private let users = Mutex(Book())
  private let groups = Mutex(Book())

  private struct Book {
    var names: [UInt32: String] = [:]
    var unknown: [String: UInt32] = [:]

    mutating func number(of name: String, _ known: UInt32?) -> UInt32 {
      // No user has such a number: the kernel counts from the other end, and keeps the last one for "none".
      let number = known ?? unknown[name] ?? 0xFFFF_FFF0 - UInt32(truncatingIfNeeded: unknown.count)
      if known == nil { unknown[name] = number }
      if names[number] == nil { names[number] = name }
      return number
    }
  }

  package init(_ base: any NameResolver = SystemNames()) { self.base = base }

  package func userID(named name: String) -> UInt32? {
    let known = base.userID(named: name)
    return users.withLock { $0.number(of: name, known) }
  }

  package func groupID(named name: String) -> UInt32? {
    let known = base.groupID(named: name)
    return groups.withLock { $0.number(of: name, known) }
  }

  /// As a policy would name the user: `user: kiosk`, or `uid: 1000`.
  func user(_ number: UInt32) -> String {
    users.withLock { $0.names[number].map { "user: \($0)" } } ?? "uid: \(number)"
  }

  func group(_ number: UInt32) -> String {
    "group: " + (groups.withLock { $0.names[number] } ?? String(number))
  }
}
