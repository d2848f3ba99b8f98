import Foundation
import Synchronization
import Testing
import WebViewGuardClient

/// A directory of one test, with room for a socket and a contract.
final class Place: Sendable {
  let directory: String

  /// - Parameter isPatient: whether the contract leaves time for a busy machine; else there is none.
  init(isPatient: Bool = true) throws {
    directory = "/tmp/wvg-client-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    guard isPatient else { return }
    try writeContract(#"{"startMs":20000,"answerMs":20000}"#)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var socket: String { directory + "/guard.sock" }
  var contract: String { directory + "/contract.json" }

  func writeContract(_ text: String, mode: mode_t = 0o644) throws {
    try text.write(toFile: contract, atomically: false, encoding: .utf8)
    chmod(contract, mode)
  }
}

/// What the client reported beside questions.
final class Problems: Sendable {
  private let list = Mutex([GuardProblem]())

  var all: [GuardProblem] { list.withLock { $0 } }

  func note(_ problem: GuardProblem) { list.withLock { $0.append(problem) } }
}

/// Something that came to pass.
final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }

  func set() { value.withLock { $0 = true } }
}

extension GuardClient {
  static func at(
    _ place: Place, features: Set<GuardFeature> = [], languages: [String] = [], trustedUIDs: Set<UInt32>? = nil,
    _ problems: Problems = Problems()
  ) -> GuardClient {
    GuardClient(
      .init(
        app: "com.contoso.portal", socketPath: place.socket, features: features, languages: languages,
        trustedUIDs: trustedUIDs
      ) { problems.note($0) })
  }
}

/// Texts of the wire.
enum Wire {
  static func attached(answerMs: Int = 20_000, contract: String = "closed") -> String {
    """
    {"parameters":{"instance":"T1","app":"a","features":[],"generation":1,"digest":"d","contract":{"startMs":20000,\
    "answerMs":\(answerMs),"navigation":"\(contract)","clipboard":"\(contract)","other":"\(contract)"}}}
    """
  }

  static let allowed =
    #"{"parameters":{"decision":{"id":"1","outcome":"allow","reason":"internal","identityLevel":"process","#
    + #""generation":1,"digest":"d","mode":"enforced"}}}"#
  static let registered = #"{"parameters":{"policy":"currentIdentity","policySource":"default"}}"#

  static func error(_ word: String) -> String { #"{"error":"org.webviewguard.Guard.\#(word)","parameters":{}}"# }

  /// What an obliging daemon says to everything.
  static func usual(_ call: FakeDaemon.Heard) -> FakeDaemon.Answer {
    switch call.method {
    case "Attach": .text(attached())
    case "RegisterViewer", "SetWebViewPolicy": .text(registered)
    case "SetIdentity": .text(#"{"parameters":{"level":"process"}}"#)
    case "SetDocument", "ForgetViewer", "SetExternalURLRules", "Answer": .text(#"{"parameters":{}}"#)
    case "Acknowledge": .silence
    default: .text(allowed)
    }
  }
}

/// Waits until something holds, for at most ten seconds.
func eventually(_ what: Comment, _ holds: () -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(10)
  while !holds() {
    guard ContinuousClock.now < end else { throw TestFailure("not within ten seconds: \(what)") }
    try await Task.sleep(for: .milliseconds(5))
  }
}

/// How long something took, in milliseconds.
func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
  let time = try await ContinuousClock().measure(body)
  return Double(time.components.seconds) * 1_000 + Double(time.components.attoseconds) / 1e15
}
