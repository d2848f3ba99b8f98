internal import GuardModel

/// Static rules for an engine, as the daemon exports them: for programs that have no file of them.
extension GuardClient {
  /// The static rules of a class of this app, as `webviewguard export` makes them, for an engine that guards itself.
  ///
  ///     let rules = try await guardian.rules(.webkitContentBlocker, class: "documents")
  ///     rules.document    // `[{"trigger":…`
  ///     rules.digest      // for `rules` of the configuration
  ///
  /// Waits until the daemon has made them, `patience` at most; for a policy of a million rules that takes some. Call it
  /// again on news of `Topic.policy`. Throws `refused` with the words `notReady`, `UnknownClass`, `InvalidParameter`.
  public nonisolated(nonsending) func rules(
    _ format: RuleFormat, class viewerClass: String? = nil, patience: Duration = .seconds(60)
  ) async throws(GuardError) -> EngineRules {
    let deadline = ContinuousClock.now + patience
    var reading = RuleReading(format.rawValue, viewerClass)
    while true {
      if let rules = try reading.take(try await call("ExportRules", reading.parameters)) { return rules }
      guard reading.pause > .zero else { continue }
      guard ContinuousClock.now + reading.pause <= deadline else {
        throw .refused(.init(name: "notReady", parameters: [:]))
      }
      do { try await Task.sleep(for: reading.pause) } catch { throw .cancelled }
    }
  }
}

/// The language of an engine for its static rules. It is open: a newer daemon may have further ones.
public struct RuleFormat: RawRepresentable, Sendable, Hashable {
  /// The word of the wire: `chromium-policy`.
  public let rawValue: String

  /// The format of any word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// For WebKit's content blocker: WebKitGTK, WPE.
  public static let webkitContentBlocker = RuleFormat(rawValue: ExportFormat.webkitContentBlocker.rawValue)
  /// A policy of Chromium.
  public static let chromiumPolicy = RuleFormat(rawValue: ExportFormat.chromiumPolicy.rawValue)
  /// A policy of Firefox.
  public static let firefoxPolicy = RuleFormat(rawValue: ExportFormat.firefoxPolicy.rawValue)
  /// Rules of a browser's extension.
  public static let declarativeNetRequest = RuleFormat(rawValue: ExportFormat.declarativeNetRequest.rawValue)
  /// The value of Chromium's switch `--host-resolver-rules`, which is no JSON.
  public static let chromiumHostRules = RuleFormat(rawValue: ExportFormat.chromiumHostRules.rawValue)
}

/// The rules of a viewer class as the document of one engine.
public struct EngineRules: Sendable, Hashable {
  /// JSON, or the value of a switch, as `webviewguard export` writes it.
  public let document: String
  /// That of the policy they are of: for `rules` of the configuration, and to know whether news of the policy change
  /// them.
  public let digest: String
  /// The number of that policy.
  public let generation: Int
  /// Rules that the document does not state exactly; `webviewguard export` names each.
  public let gaps: Int
}

/// Reads one document, part by part. The parts are of one policy; when another one comes into force between two of them,
/// the reading begins anew.
struct RuleReading {
  /// The daemon makes a document when somebody asks for it first. Asked again after so long, each time a half longer.
  private static let pauses = (first: Duration.milliseconds(20), longest: Duration.seconds(1))

  private let said: [String: GuardValue]
  private var document: [UInt8] = []
  private var generation: Int?
  private var nextPause = pauses.first
  /// The time to wait before the next call.
  private(set) var pause = Duration.zero

  init(_ format: String, _ viewerClass: String?) {
    said = ["format": .string(format)].merging(viewerClass.map { ["class": .string($0)] } ?? [:]) { _, other in other }
  }

  /// Those of the next call.
  var parameters: [String: GuardValue] {
    document.isEmpty ? said : said.merging(["offset": .integer(document.count)]) { _, offset in offset }
  }

  /// Takes the reply; gives the rules when they are whole.
  mutating func take(_ reply: [String: GuardValue]) throws(GuardError) -> EngineRules? {
    pause = .zero
    guard document.isEmpty || reply["generation"]?.integer == generation else {
      document = []
      return nil
    }
    guard reply["ready"]?.bool == true else {
      pause = nextPause
      nextPause = min(nextPause * 1.5, Self.pauses.longest)
      return nil
    }
    guard let said = reply["generation"]?.integer, let part = reply["part"]?.string, let size = reply["bytes"]?.integer
    else { throw .invalidReply }
    generation = said
    document += part.utf8
    guard document.count == size || (document.count < size && !part.isEmpty) else { throw .invalidReply }
    guard document.count == size else { return nil }
    return EngineRules(
      document: String(decoding: document, as: UTF8.self), digest: reply["digest"]?.string ?? "", generation: said,
      gaps: reply["gaps"]?.integer ?? 0)
  }
}
