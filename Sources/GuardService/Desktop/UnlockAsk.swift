package import Bus
internal import Glibc
package import GuardModel
internal import Platform

/// A question to a person: polkit shows it in the person's own session, and the machine's PAM stack judges the answer, also
/// one by biometrics (ledger CD-05).
///
/// Only an answered dialogue counts. The daemon asks polkit without a dialogue first: a yes then comes from a rule of the
/// machine, or from root's rights, and proves nothing about the person. Then it asks with a dialogue.
///
/// Source: `CheckAuthorization` of org.freedesktop.PolicyKit1.Authority; polkit(8).
package struct UnlockAsk: Sendable {
  /// The process whose session shows the dialogue.
  var uid: UInt32
  var pid: Int32
  /// Nil before Linux 6.5. Another process that got the same number then passes for this one; polkit refuses unless it has
  /// the same uid, and the answer holds for the uid.
  var process: PeerProcess?
  var account: String
  var app: String

  package static let action = "org.webviewguard.unlock"
  static let service = "org.freedesktop.PolicyKit1"

  /// An unanswered dialogue is closed after this many milliseconds.
  static let patience: Int64 = 120_000
  /// Without a dialogue polkit answers at once.
  static let patienceWithout: Int64 = 20_000

  /// The question; nil when the process has ended.
  ///
  /// - Parameters:
  ///   - cancellation: the name by which it can be taken back; with one, polkit may show a dialogue.
  ///   - withDetails: adds the names that a dialogue shows; only root and the action's owner may send them.
  package func call(cancellation: String?, withDetails: Bool = true) -> BusCall? {
    guard let start = startTime, process?.isRunning ?? true else { return nil }
    var subject: [String: BusValue] = [
      "pid": .uint32(UInt32(pid)), "start-time": .uint64(start), "uid": .int32(Int32(truncatingIfNeeded: uid)),
    ]
    if let process { subject["pidfd"] = .descriptor(process.descriptor) }
    return call(
      "CheckAuthorization",
      [
        .structure([.string("unix-process"), .options(subject)]), .string(Self.action),
        .texts(withDetails ? ["account": Self.shown(account), "app": Self.shown(app)] : [:]),
        .uint32(cancellation == nil ? 0 : 1),
        .string(cancellation ?? ""),
      ])
  }

  /// The call that takes a dialogue back, by the name that the question gave it.
  package static func cancelling(_ cancellation: String) -> BusCall {
    BusCall(
      to: service, at: "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority",
      "CancelCheckAuthorization", [.string(cancellation)])
  }

  private func call(_ member: String, _ arguments: [BusValue]) -> BusCall {
    BusCall(
      to: Self.service, at: "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority", member,
      arguments)
  }

  /// When the process began, in the kernel's ticks since the boot: with its number that is one process.
  private var startTime: UInt64? {
    guard pid > 0, let text = SmallFile.text(at: "/proc/\(pid)/stat", maximum: 4096) else { return nil }
    // The name of the program may hold anything, also blanks and parentheses.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[end...].split(separator: " ")
    return fields.count > 20 ? UInt64(fields[20]) : nil
  }

  /// A text for a dialogue: short, and without control characters and markup, since an account's name comes from an app.
  private static func shown(_ text: String) -> String {
    String(
      text.unicodeScalars.prefix(200).map { scalar in
        scalar.isInvisible || ["<", ">", "&"].contains(scalar) ? "?" : Character(scalar)
      })
  }
}

extension UnlockAsk {
  /// A question in the session of a process that no descriptor holds.
  package init(uid: UInt32, pid: Int32, account: String, app: String) {
    self.init(uid: uid, pid: pid, process: nil, account: account, app: app)
  }
}

extension UnlockResult {
  /// Reads polkit's answer to the question without a dialogue; nil when polkit wants a dialogue.
  package init?(withoutDialogue answer: Result<[BusValue], BusError>) {
    guard let (isAuthorised, isChallenge, _) = Self.read(answer) else {
      self = .serviceFailure
      return
    }
    if isAuthorised {
      self = .noChallenge
    } else if isChallenge {
      return nil
    } else {
      self = .refused
    }
  }

  /// Reads polkit's answer after a dialogue.
  package init(afterDialogue answer: Result<[BusValue], BusError>) {
    if case .failure(.refused(name: "org.freedesktop.PolicyKit1.Error.Cancelled", _)) = answer {
      self = .dismissed
    } else if let (isAuthorised, isChallenge, details) = Self.read(answer) {
      if isAuthorised {
        self = .unlocked
      } else if details["polkit.dismissed"]?.text != nil {
        self = .dismissed
      } else {
        // Polkit still wants a dialogue: no program could show one.
        self = isChallenge ? .noAgent : .refused
      }
    } else {
      self = .serviceFailure
    }
  }

  /// `(bba{ss})`; nil for anything else.
  private static func read(_ answer: Result<[BusValue], BusError>) -> (Bool, Bool, BusValue)? {
    guard case .success(let values) = answer, values.count == 1, case .structure(let parts) = values[0],
      parts.count == 3, case .bool(let isAuthorised) = parts[0], case .bool(let isChallenge) = parts[1],
      parts[2].signature == "a{ss}"
    else { return nil }
    return (isAuthorised, isChallenge, parts[2])
  }
}
