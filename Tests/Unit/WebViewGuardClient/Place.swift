import Foundation
import GuardModel
import TestSupport
import WebViewGuardClient

/// The longest that a contract may name, in milliseconds: nothing in a test takes so long, however busy the machine is.
let patientMs = FailureContract.times.upperBound

/// A directory of one test, with room for a socket and a contract.
final class Place: Sendable {
  let directory: String

  /// - Parameter isPatient: whether the contract leaves time for a busy machine; else there is none.
  init(isPatient: Bool = true) throws {
    directory = "/tmp/wvg-client-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    guard isPatient else { return }
    let closed = #""navigation":"closed","clipboard":"closed","other":"closed""#
    try writeContract(#"{"startMs":\#(patientMs),"answerMs":\#(patientMs),\#(closed)}"#)
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
typealias Problems = Collected<GuardProblem>

/// Calls as clients write them.
extension FakeDaemon.Heard {
  private var call: GuardValue { ValueReader.read(frame[...]) ?? .null }

  /// Without the interface.
  var method: String { call["method"]?.string?.split(separator: ".").last.map(String.init) ?? "" }
  var interface: String {
    call["method"]?.string?.split(separator: ".").dropLast().joined(separator: ".") ?? ""
  }
  var parameters: GuardValue { call["parameters"] ?? .null }
  var more: Bool { call["more"]?.bool ?? false }
}

extension FakeDaemon {
  func heard(_ method: String) -> [Heard] { heard.filter { $0.method == method } }

  /// The methods that a connection heard, in order.
  func methods(on connection: Int) -> [String] { heard.filter { $0.connection == connection }.map(\.method) }
}

extension GuardClient {
  static func at(
    _ place: Place, features: Set<GuardFeature> = [], languages: [String] = [], version: String? = nil,
    rules: String? = nil, trustedUIDs: Set<UInt32>? = nil, _ problems: Problems = Problems()
  ) -> GuardClient {
    GuardClient(
      .init(
        app: "com.contoso.portal", socketPath: place.socket, features: features, languages: languages,
        version: version, rules: rules, trustedUIDs: trustedUIDs
      ) { problems.note($0) })
  }
}

/// Texts of the wire.
enum Wire {
  static func attached(answerMs: Int = patientMs, contract: String = "closed") -> String {
    """
    {"parameters":{"instance":"T1","app":"a","features":[],"generation":1,"digest":"d","contract":{"startMs":\(patientMs),\
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

/// Runs something on a thread of its own, as a toolkit does: however many tasks there are, it does not wait for them.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// How long something took, in milliseconds: for what must not be too early. Too late is the machine's affair; `SessionTests`
/// says with a clock of its own when something is due.
func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
  let time = try await ContinuousClock().measure(body)
  return Double(time.components.seconds) * 1_000 + Double(time.components.attoseconds) / 1e15
}
