internal import DecisionLog
internal import GuardProtocol
internal import NIOCore
internal import PolicyFiles

/// An order about the policy.
enum PolicyOrder: Sendable, Hashable {
  case reload(ReloadCall)
  case rollback(RollbackCall)
}

/// An order that is carried out, and the caller that waits for the result.
struct PolicyRequest {
  let order: PolicyOrder
  let asked: [EventLoopPromise<ReloadReply>]
  /// Those of them who asked over the admin socket; none where a signal did.
  let askers: [Asker]

  /// The log's word for the cause of the load.
  var cause: PolicyLoad.Order {
    switch order {
    case .reload: askers.isEmpty ? .signal : .reload
    case .rollback: .rollback
    }
  }

  /// Whether obstacles are ignored.
  var isForced: Bool {
    if case .reload(let call) = order { call.force ?? false } else { false }
  }
}

/// The part of an order that takes long: reading and compiling. Not for the event loop. It changes nothing, since
/// `LoaderThread` may do it twice.
struct PolicyWork: Sendable {
  let order: PolicyOrder
  let roots: [String]
  let kept: KeptPolicies?
  /// The digest of the policy in force.
  let digest: String

  /// The result of the work.
  enum Product: Sendable {
    case loaded(LoadResult)
    case rolledBack(LoadResult, RollbackMark)
  }

  func run() -> Result<Product, AdminError> {
    Result { () throws(AdminError) -> Product in
      switch order {
      case .reload: .loaded(PolicyLoads.load(roots))
      case .rollback(let call): try rollBack(call)
      }
    }
  }

  /// Loads the policy to go back to.
  private func rollBack(_ call: RollbackCall) throws(AdminError) -> Product {
    guard let kept else { throw .nothingToRollBackTo }
    let entry = try target(call, among: kept.entries)
    let mark = RollbackMark(to: entry.digest, from: digest, after: kept.mark)
    do throws(KeepError) { return .rolledBack(try kept.load(entry), mark) } catch {
      throw .loadFailed([error.description])
    }
  }

  private func target(_ call: RollbackCall, among entries: [KeptPolicy]) throws(AdminError) -> KeptPolicy {
    if let wanted = call.to {
      let fitting = entries.filter { $0.digest.hasPrefix(wanted) }
      guard wanted.utf8.count >= Self.shortestPrefix, let entry = fitting.first, fitting.count == 1 else {
        throw .unknownPolicy(String(wanted.prefix(64)))
      }
      guard entry.digest != digest else { throw .nothingToRollBackTo }
      return entry
    }
    let older = entries.firstIndex { $0.digest == digest }.map { entries[($0 + 1)...] } ?? entries[...]
    guard let entry = older.first else { throw .nothingToRollBackTo }
    return entry
  }

  /// Fewer digits are a slip of the hand.
  private static let shortestPrefix = 8
}
