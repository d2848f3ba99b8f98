/// A condition that has to hold before an account of a protection may work (ledger CD-01).
///
///     var condition = LaunchCondition("osVersion", .atLeast, .version([12, 4]))
///     condition.holds(for: .text("12.10"))    // true
package struct LaunchCondition: Sendable, Hashable {
  /// The name of a fact: one of `OwnFact`, or a name in a posture file.
  package var check: String
  package var comparison: Comparison
  package var value: FactValue
  package var action = Action.block
  /// Milliseconds for which a failing condition only warns.
  package var grace: UInt64 = 0
  /// For the user, in place of the built-in text.
  package var message: String?
  package var location = ""

  package init(_ check: String, _ comparison: Comparison, _ value: FactValue) {
    self.check = check
    self.comparison = comparison
    self.value = value
  }

  package enum Comparison: String, Sendable, Hashable, CaseIterable {
    case equals
    case notEquals
    case atLeast
    case atMost
    case greater
    case less

    package var isOrder: Bool { self != .equals && self != .notEquals }
  }

  /// What a failing condition leads to; later cases are stricter (ledger CD-02).
  package enum Action: UInt8, Sendable, Hashable, CaseIterable {
    case warn
    case block
    case wipe

    package var name: String {
      switch self {
      case .warn: "warn"
      case .block: "block"
      case .wipe: "wipe"
      }
    }
  }

  /// Whether it holds for a fact; nil when the two cannot be compared, and nothing is known.
  package func holds(for fact: FactValue) -> Bool? {
    switch (fact, value) {
    case (.truth(let left), .truth(let right)): return order(left == right ? 0 : 1, isOrdered: false)
    case (.number(let left), .number(let right)): return order(left < right ? -1 : left > right ? 1 : 0)
    case (_, .version(let right)):
      guard let left = fact.version else { return nil }
      return order(Self.compare(left, right))
    case (.text(let left), .text(let right)): return order(left.lowercased() == right.lowercased() ? 0 : 1, isOrdered: false)
    case (.text(let left), .number(let right)):
      guard let left = Double(left) else { return nil }
      return order(left < right ? -1 : left > right ? 1 : 0)
    case (.text(let left), .truth(let right)):
      // Scripts often write truth as text.
      guard ["true", "false"].contains(left.lowercased()) else { return nil }
      return order((left.lowercased() == "true") == right ? 0 : 1, isOrdered: false)
    default: return nil
    }
  }

  private func order(_ order: Int, isOrdered: Bool = true) -> Bool? {
    guard isOrdered || !comparison.isOrder else { return nil }
    return switch comparison {
    case .equals: order == 0
    case .notEquals: order != 0
    case .atLeast: order >= 0
    case .atMost: order <= 0
    case .greater: order > 0
    case .less: order < 0
    }
  }

  /// Missing parts count as 0: `12` is `12.0`.
  private static func compare(_ left: [UInt64], _ right: [UInt64]) -> Int {
    for index in 0..<max(left.count, right.count) {
      let one = index < left.count ? left[index] : 0
      let other = index < right.count ? right[index] : 0
      if one != other { return one < other ? -1 : 1 }
    }
    return 0
  }

  /// It tells conditions apart over reloads and restarts, so that a reload does not begin a grace anew.
  func key(in protection: String) -> String {
    "\(protection)\n\(check)\n\(comparison.rawValue)\n\(value.text)"
  }

  /// SDK before app before system before anything else (ledger CD-02).
  var rank: Int {
    switch OwnFact(rawValue: check) {
    case .clientVersion: 0
    case .appVersion: 1
    case .osName, .osVersion, .kernelVersion: 2
    default: 3
    }
  }
}

/// The value of a fact, or the value that a condition compares it with.
package enum FactValue: Sendable, Hashable {
  case truth(Bool)
  case number(Double)
  case text(String)
  /// Numbers with dots between them: `6.1.0`
  case version([UInt64])

  /// The leading numbers of a text: `6.1.0-13-amd64` is 6, 1, 0; nil when there is none.
  package init?(version text: String) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
    let known = parts.prefix { $0 != nil }.compactMap(\.self)
    guard !known.isEmpty, known.count <= 8 else { return nil }
    self = .version(known)
  }

  var version: [UInt64]? {
    switch self {
    case .version(let parts): parts
    case .text(let text): if case .version(let parts)? = FactValue(version: text) { parts } else { nil }
    case .number(let number): FactValue(version: "\(number)")?.version
    case .truth: nil
    }
  }

  /// For people and records: `true`, `42`, `6.1.0`
  package var text: String {
    switch self {
    case .truth(let truth): "\(truth)"
    case .number(let number): number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    case .text(let text): text
    case .version(let parts): parts.map(String.init).joined(separator: ".")
    }
  }
}

/// The facts that the daemon finds out itself. No posture file may state them.
package enum OwnFact: String, Sendable, Hashable, CaseIterable {
  /// `ID` of os-release: `debian`
  case osName
  /// `VERSION_ID` of os-release: `12`
  case osVersion
  /// As `uname -r` has it.
  case kernelVersion
  /// The app's own word at `Attach`.
  case appVersion
  /// The version of the client library, by its own word at `Attach`.
  case clientVersion
  /// dm-crypt lies below the root directory.
  case diskEncrypted
  case secureBoot
  /// Hours since the policy was last fetched and checked.
  case policyAge

  /// It differs between programs.
  package var isOfProgram: Bool { self == .appVersion || self == .clientVersion }

  /// A sample of its type.
  package var sample: FactValue {
    switch self {
    case .osName: .text("")
    case .osVersion, .kernelVersion, .appVersion, .clientVersion: .version([0])
    case .diskEncrypted, .secureBoot: .truth(true)
    case .policyAge: .number(0)
    }
  }
}
