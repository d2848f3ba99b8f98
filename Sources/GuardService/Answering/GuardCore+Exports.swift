internal import Dispatch
internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import NIOPosix
internal import PolicyEngine
internal import PolicyFiles

/// `ExportRules`: static rules for apps that have no file of them, such as those in containers.
///
/// No call waits for a document: the answer says that it is being made, and the app asks again. So a policy of a million
/// rules holds neither the event loop nor the questions behind the call.
extension GuardCore {
  func exportRules(_ call: ExportRulesCall, _ connection: Connection) throws -> ExportRulesReply {
    let session = try attached(connection)
    guard snapshot.hasPolicy else { throw Refusal.noPolicy }
    let key = try exportKey(call, of: session.app)
    switch exports.document(key) {
    case .wanted:
      makeNextExport()
      return ExportRulesReply(generation: snapshot.generation, part: nil)
    case .none: throw ServiceError.invalidParameter("class")
    case .tooLarge: throw Refusal.limitReached(.memoryBytes, maximum: ExportedDocuments.maximumBytes)
    case .made(let rules):
      let text = rules.part(at: call.offset)
      serving.charge(0, bytes: 2 * text.utf8.count)
      return ExportRulesReply(
        generation: snapshot.generation, part: .init(text: text, bytes: rules.bytes.count, gaps: rules.gaps))
    }
  }

  /// The document that a call names. A class without a rule set of the policy's own has none, and an app whose classes have
  /// several rule sets must name one.
  private func exportKey(_ call: ExportRulesCall, of name: String) throws -> ExportKey {
    guard let index = snapshot.app(named: name) else { throw Refusal.noApp }
    guard let format = ExportFormat(rawValue: call.format) else { throw ServiceError.invalidParameter("format") }
    let classes = snapshot[index].classes
    if let wanted = call.viewerClass {
      guard let found = classes.first(where: { $0.name == wanted }) else {
        throw Refusal.unknownClass(String(wanted.prefix(64)))
      }
      guard found.ruleSet != nil else { throw ServiceError.invalidParameter("class") }
    } else if Set(classes.compactMap(\.ruleSet)).count != 1 {
      throw ServiceError.invalidParameter("class")
    }
    return ExportKey(app: name, viewerClass: call.viewerClass, format: format)
  }

  /// Nobody waits for a document. The work is done a second time only when others take the processor for so long: a million
  /// rules take half a gigabyte while they are exported.
  private static let exportPatience = DispatchTimeInterval.seconds(120)

  /// Makes the next document on a thread of its own, one at a time.
  private func makeNextExport() {
    guard let loaded = policy.loaded, let key = exports.beginNext() else { return }
    let (generation, time) = (exports.generation, Int64(journal.now() / 1000))
    let bound = NIOLoopBound(self, eventLoop: loop)
    let made = NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
      LoaderThread.run(patience: Self.exportPatience) { ExportedRules(loaded, key, at: time) }
    }
    made.whenComplete { result in
      switch result {
      case .success(let rules): bound.value.exports.finish(key, rules, of: generation)
      case .failure: bound.value.exports.fail(key, of: generation)
      }
      bound.value.makeNextExport()
    }
  }
}
