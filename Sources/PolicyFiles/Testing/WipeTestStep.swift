package import GuardModel

/// Steps of a policy's test about wipes: an administrator's orders, an app's answer, the helper's report.
///
///     - { wipe: work@contoso.com, phase: pending, request: w-1-1 }
///     - { tick: 72h }
///     - { answer: refused }
///     - { filesRemoved: { removed: 12, kept: 0 } }
///     - { wipeOf: work@contoso.com, phase: none }
package enum WipeTestStep: Sendable, Hashable {
  /// An administrator, who logged in as this user, wipes the account of the test's user: in one app, or in all.
  case wipe(String, only: String?, now: Bool, login: UInt32)
  /// Another administrator agrees to the wipe of the account.
  case approve(String, login: UInt32)
  case restore(String)
  /// The policy in force was fetched and checked.
  case checkIn
  /// The app completes a request; nil for the last one that it was asked.
  case answer(RequestResult, request: String?)
  /// The helper carried out the last order for the app's files.
  case filesRemoved(removed: UInt64, kept: UInt64)
  /// Nothing happens; the expectation is about the wipe of an account.
  case show(String)
}

/// A test's expectation of a wipe. A nil property matches anything.
package struct ExpectedWipe: Sendable, Hashable {
  package enum Phase: Sendable, Hashable {
    /// No wipe of the account is under way.
    case none
    case phase(WipePhase)

    package var name: String {
      switch self {
      case .none: "none"
      case .phase(let phase): phase.name
      }
    }
  }

  package var phase: Phase?
  package var cause: WipeCause?
  package var request: String?
  /// The part of the app that acts.
  package var step: WipeStep?

  package init() {}

  var isEmpty: Bool { self == ExpectedWipe() }
}

extension WipeTestStep {
  /// The keys that say which step about wipes it is.
  static let keys = ["wipe", "approve", "restore", "checkIn", "answer", "filesRemoved", "wipeOf"]

  /// The key of the step.
  var name: String {
    switch self {
    case .wipe: "wipe"
    case .approve: "approve"
    case .restore: "restore"
    case .checkIn: "checkIn"
    case .answer: "answer"
    case .filesRemoved: "filesRemoved"
    case .show: "wipeOf"
    }
  }

  /// The words by which an administrator's order can be refused.
  static let refusals: [AccountRefusal] = [
    .unknownAccount, .underWay, .wipePending, .noWipe, .tooLate, .sameApprover,
  ]

  /// The step with its parameters; nil when one is wrong, which has been reported.
  init?(key: String, _ reader: inout MappingReader) {
    let step: Self? =
      switch key {
      case "wipe": Self.wipe(&reader)
      case "approve": Self.approve(&reader)
      case "restore": reader.optional("restore", .nonEmptyString).map { .restore($0) }
      case "checkIn": Self.checkIn(&reader)
      case "answer": Self.answer(&reader)
      case "filesRemoved": reader.optional("filesRemoved", Self.report)
      default: reader.optional("wipeOf", .nonEmptyString).map { .show($0) }
      }
    guard let step else { return nil }
    self = step
  }

  private static func wipe(_ reader: inout MappingReader) -> Self? {
    let only = reader.optional("only", .nonEmptyString)
    let now = reader.value("now", .bool, default: false)
    let login = login(&reader)
    return reader.optional("wipe", .nonEmptyString).map { .wipe($0, only: only, now: now, login: login) }
  }

  private static func approve(_ reader: inout MappingReader) -> Self? {
    let login = login(&reader)
    return reader.optional("approve", .nonEmptyString).map { .approve($0, login: login) }
  }

  private static func login(_ reader: inout MappingReader) -> UInt32 {
    reader.value("by", .int(in: 0...UInt32.max - 1), default: 0)
  }

  private static func checkIn(_ reader: inout MappingReader) -> Self? {
    guard let happens = reader.optional("checkIn", .bool) else { return nil }
    guard happens else {
      reader.error(
        .unknownValue, at: "checkIn", "a check-in that does not happen is no step",
        hint: "write `checkIn: true`, or remove the step")
      return nil
    }
    return .checkIn
  }

  private static func answer(_ reader: inout MappingReader) -> Self? {
    let request = reader.optional("request", .nonEmptyString)
    return reader.optional("answer", .choice(of: RequestResult.self)).map { .answer($0, request: request) }
  }

  private static var report: YAMLDecoder<WipeTestStep> {
    .mapping { reader in
      let count = YAMLDecoder<UInt64>.int(in: 0...UInt64(Int64.max))
      let removed = reader.required("removed", count)
      let kept = reader.required("kept", count)
      guard let removed, let kept else { return nil }
      return .filesRemoved(removed: removed, kept: kept)
    }
  }
}

extension PolicyTestExpectation {
  /// The expectation beside a step about wipes; nil when it is wrong, which has been reported.
  init?(wipeKey key: String, _ reader: inout MappingReader) {
    switch key {
    case "checkIn": self = .done
    case "answer", "filesRemoved":
      let codes: [Refusal.Code] = [.unknownRequest, .requestIsOver]
      let code = reader.optional("expect", .word(codes.map { ($0.rawValue, $0) }))
      self = code.map(PolicyTestExpectation.refused) ?? .done
    case "wipeOf":
      let wanted = ExpectedWipe(&reader, isAfter: true)
      guard !wanted.isEmpty else {
        reader.error(
          .missingKey, at: "wipeOf", "nothing is expected of the wipe",
          hint: "state `phase`, `cause`, `request` or `step`; `phase: none` when there is none")
        return nil
      }
      guard wanted.phase != ExpectedWipe.Phase.none || wanted.isNothingElse else {
        reader.error(
          .conflictingKeys, at: "phase", "a wipe that is not there has no cause, request or step",
          hint: "keep `phase: none` alone")
        return nil
      }
      self = .wipe(wanted)
    default:
      if let why = reader.optional("expect", .word(WipeTestStep.refusals.map { ($0.rawValue, $0) })) {
        self = .orderRefused(why)
      } else {
        self = key == "restore" ? .done : .wipe(ExpectedWipe(&reader, isAfter: false))
      }
    }
  }
}

extension ExpectedWipe {
  /// - Parameter isAfter: the wipe may be over, and apps may have answered.
  fileprivate init(_ reader: inout MappingReader, isAfter: Bool) {
    let phases = WipePhase.allCases.map { ($0.name, Phase.phase($0)) } + (isAfter ? [("none", Phase.none)] : [])
    phase = reader.optional("phase", .word(phases))
    request = reader.optional("request", .nonEmptyString)
    guard isAfter else { return }
    cause = reader.optional("cause", .choice(of: WipeCause.self))
    step = reader.optional("step", .word(WipeStep.allCases.map { ($0.name, $0) }))
  }

  fileprivate var isNothingElse: Bool { cause == nil && request == nil && step == nil }
}
