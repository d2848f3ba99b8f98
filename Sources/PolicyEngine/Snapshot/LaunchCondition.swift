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

  /// Whether a fact may have the name: up to 64 letters and digits of ASCII, `_`, `.` and `-`.
  package static func isFactName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
          true
        default: false
        }
      }
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

  /// The effect of a failing condition; later cases are stricter (ledger CD-02).
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
  ///
  ///     LaunchCondition("tries", .atMost, .number(5)).holds(for: .text("nan"))    // nil
  ///
  /// The trap: everything that is no number compares with none, or a text such as `nan` would be equal to all of them.
  package func holds(for fact: FactValue) -> Bool? {
    switch (fact, value) {
    case (.truth(let left), .truth(let right)): return order(left == right ? 0 : 1, isOrdered: false)
    case (.number(let left), .number(let right)): return compare(left, right)
    case (_, .version(let right)):
      guard let left = fact.version else { return nil }
      return order(Self.compare(left, right))
    case (.text(let left), .text(let right)):
      return order(left.lowercased() == right.lowercased() ? 0 : 1, isOrdered: false)
    case (.text(let left), .number(let right)): return FactValue.number(in: left).flatMap { compare($0, right) }
    // Scripts often write truth as text, and so do people.
    case (.text(let left), .truth(let right)): return FactValue.truth(in: left).flatMap { alike($0, right) }
    case (.truth(let left), .text(let right)): return FactValue.truth(in: right).flatMap { alike(left, $0) }
    case (.truth, .number), (.number, .truth), (.number, .text), (.version, .truth), (.version, .number),
      (.version, .text):
      return nil
    }
  }

  private func alike(_ left: Bool, _ right: Bool) -> Bool? { order(left == right ? 0 : 1, isOrdered: false) }

  private func compare(_ left: Double, _ right: Double) -> Bool? {
    guard left.isFinite, right.isFinite else { return nil }
    return order(left < right ? -1 : left > right ? 1 : 0)
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

  /// It tells conditions apart over reloads and restarts, so that a reload does not begin a grace anew. Action and grace
  /// are not part of it: a condition that begins to block goes on with the time for which it failed while it only warned.
  func key(in protection: String) -> String {
    "\(protection)\n\(check)\n\(comparison.rawValue)\n\(value.typeLetter)\(value.text)"
  }

  /// The check that a key of ``key(in:)`` names.
  static func check(inKey key: String) -> String? {
    let parts = key.split(separator: "\n", omittingEmptySubsequences: false)
    return parts.count > 1 ? String(parts[1]) : nil
  }

  /// SDK before app before system before anything else (ledger CD-02): of two that fail alike, the lower is told.
  package var rank: Int {
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

  /// The leading numbers of a text: `6.1.0-13-amd64` is 6, 1, 0; nil when there is none, and for numbers that no version
  /// has.
  package init?(version text: String) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    var parts: [UInt64] = []
    for part in digits.split(separator: ".", omittingEmptySubsequences: false) {
      guard !part.isEmpty else { break }
      // Left out, a number too large would count as 0.
      guard let number = UInt64(part), parts.count < Self.mostParts else { return nil }
      parts.append(number)
    }
    guard !parts.isEmpty else { return nil }
    self = .version(parts)
  }

  private static let mostParts = 8

  var version: [UInt64]? {
    switch self {
    case .version(let parts): parts
    case .text(let text): if case .version(let parts)? = FactValue(version: text) { parts } else { nil }
    // `1e+20` and `1e-05` are no versions.
    case .number(let number) where number >= 0 && !text.contains("e"): FactValue(version: text)?.version
    case .number, .truth: nil
    }
  }

  /// The number that a text writes in decimal; nil for `nan`, `inf` and `0x10`, too.
  static func number(in text: String) -> Double? {
    let isDecimal = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".+-eE".utf8.contains(byte)
    }
    guard isDecimal, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  static func truth(in text: String) -> Bool? {
    switch text.lowercased() {
    case "true": true
    case "false": false
    default: nil
    }
  }

  var typeLetter: Character {
    switch self {
    case .truth: "t"
    case .number: "n"
    case .text: "s"
    case .version: "v"
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
  /// dm-crypt lies below each device of the root directory.
  case diskEncrypted
  case secureBoot
  /// Whole hours since the last check-in: `webviewguard reload --checked-in`.
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
