internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Carries out orders one after the other; only putting a policy in force happens on the event loop.
extension GuardCore {
  /// Loads the policy anew. A failed load leaves the old policy in force; the answer says why. The answer never comes
  /// before this returns: the call that asks may still be being read.
  ///
  /// - Parameter connection: the caller; nil for a signal.
  func reload(_ call: ReloadCall = ReloadCall(), by connection: Connection? = nil) -> EventLoopFuture<ReloadReply> {
    carryOut(.reload(call), by: connection)
  }

  /// Goes back to a policy that was in force before.
  func rollBack(_ call: RollbackCall, by connection: Connection) -> EventLoopFuture<ReloadReply> {
    carryOut(.rollback(call), by: connection)
  }

  private func carryOut(_ order: PolicyOrder, by connection: Connection?) -> EventLoopFuture<ReloadReply> {
    let answer = loop.makePromise(of: ReloadReply.self)
    loads.ask(order, by: connection.map(Asker.init), answer)
    if !loads.isLoading { beginLoad() }
    return answer.futureResult
  }

  /// Continues once the files were read.
  func proceed(_ request: PolicyRequest, _ product: Result<PolicyWork.Product, AdminError>) {
    switch product {
    case .success(.loaded(let result)): proceed(request, result)
    case .success(.rolledBack(let result, let mark)):
      keep(mark) { failure in
        if let failure { return self.fail(request, AdminError.loadFailed([failure.description])) }
        self.adopt(result, rolledBackBy: mark, request)
      }
    case .failure(let error): fail(request, error)
    }
  }

  /// Nothing was loaded: there is nothing to go back to, or it cannot be read.
  private func fail(_ request: PolicyRequest, _ error: AdminError) {
    logger.warning("the policy was not rolled back", metadata: askedBy(["cause": "\(error.words)"]))
    recordLoad(isLoaded: false, errors: 0, refusal: error.word)
    finish(request, .failure(error))
  }

  private func adopt(_ result: LoadResult, rolledBackBy mark: RollbackMark, _ request: PolicyRequest) {
    let replaced = snapshot.generation.digest
    let reply = Result { () throws -> ReloadReply in try adopt(result, from: .rolledBack, insteadOf: replaced) }
    if case .success = reply { loads.mark = mark }
    listKept()
    logger.warning("policy rolled back", metadata: askedBy(["from": "\(replaced)", "to": "\(mark.to)"]))
    finish(request, reply)
  }

  private func proceed(_ request: PolicyRequest, _ result: LoadResult) {
    guard case .reload(let call) = request.order else {
      return finish(request, .failure(AdminError.nothingToRollBackTo))
    }
    let isPreview = call.preview ?? false
    guard let policy = result.policy, !result.diagnostics.hasErrors else {
      if !isPreview { refuse(result) }
      return finish(request, .failure(AdminError.loadFailed(result.lines)))
    }
    guard isPreview || call.maxChange != nil || call.maxChangePercent != nil else {
      return adopt(result, request, call, nil)
    }
    preview(policy) { core, preview in
      guard isPreview else { return core.adopt(result, request, call, preview) }
      let reply = ReloadReply(
        generation: core.snapshot.generation, diagnostics: result.lines, isChanged: false, preview: preview)
      core.finish(request, .success(reply))
    }
  }

  /// Puts the configuration on disk in force, unless something forbids it.
  private func adopt(_ result: LoadResult, _ request: PolicyRequest, _ call: ReloadCall, _ preview: PolicyPreview?) {
    if let preview, let maximum = call.maximum(of: preview.weighed), preview.loosened > maximum {
      return hold(result, request, .tooManyChanges(preview, maximum: maximum))
    }
    if call.force != true, let mark = loads.mark, mark.from.contains(result.digest) {
      return hold(result, request, .rolledBack(result.digest))
    }
    do throws(AdminError) {
      var reply = try adopt(result, from: .disk)
      reply.preview = preview
      loads.mark = nil
      keep(result) { self.finish(request, .success(reply)) }
    } catch {
      finish(request, .failure(error))
    }
  }

  /// The configuration is good and does not come into force.
  private func hold(_ result: LoadResult, _ request: PolicyRequest, _ error: AdminError) {
    refuse(result, because: (error.words, error.word))
    finish(request, .failure(error))
  }

  private func finish(_ request: PolicyRequest, _ result: Result<ReloadReply, any Error>) {
    loads.isLoading = false
    loads.request = nil
    supervision.ready(standing)
    for answer in request.asked { answer.completeWith(result) }
    submit()
    beginLoad()
  }
}

extension LoadResult {
  /// The loader's findings, one text for each: first those that kept the policy from loading, since many tools show one
  /// line only.
  var lines: [String] {
    let sorted = diagnostics.sorted
    return (sorted.filter { $0.severity == .error } + sorted.filter { $0.severity != .error }).map(\.description)
  }
}

extension ReloadCall {
  /// The most answers that may be looser, of so many that were judged; nil when there is no limit.
  fileprivate func maximum(of judged: Int) -> Int? {
    [maxChange, maxChangePercent.map { judged * $0 / 100 }].compactMap(\.self).min()
  }
}

extension AdminError {
  /// The word of the log for it: `nothingToRollBackTo`.
  fileprivate var word: String {
    let name = "\(qualifiedName)".split(separator: ".").last ?? ""
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  /// The words for the journal.
  fileprivate var words: String {
    switch self {
    case .loadFailed(let lines): lines.joined(separator: "\n")
    case .tooManyChanges(let preview, let maximum):
      "\(preview.loosened) of \(preview.weighed) recent events would be answered less strictly, more than \(maximum)"
    case .rolledBack: "this configuration was rolled back from; `webviewguard reload --force` puts it in force"
    case .unknownPolicy: "no such policy is kept"
    case .nothingToRollBackTo: "no policy before the one in force is kept"
    case .exceptionRefused, .unknownException, .exceptionNotKept: "\(qualifiedName)"
    }
  }
}
