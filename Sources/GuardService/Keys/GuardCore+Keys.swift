internal import AccountKeys
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// The event loop's side of the account keys.
struct KeyState {
  /// Nil where nothing outlives the daemon: then there are no keys.
  var ring: KeyRing?
  var book = KeyBook()
  /// Nil while no label can be made, and each counts as an unknown managed owner's.
  var labelKey: LabelKey?
  /// The owners of files that keep no label.
  var files = FileTable()
  /// Why no key can be used; nil when keys can, and while they are being opened.
  var failure: String?
  /// Why keys that a wipe destroys are still there; nil when none are.
  var destructionFailure: String?
  /// Why a key was not given, as it was told last.
  var toldCause: String?
  var escrow = EscrowState()
  /// Destructions that the ring works on.
  var underWay: Set<KeyOwner> = []
  /// Milliseconds of the machine's running time, before which nothing that failed is tried again.
  var retryAt: UInt64 = 0

  /// Milliseconds between two attempts at something that failed.
  static let pause: UInt64 = 30_000

  var problems: [HealthProblem] {
    [
      failure.map { HealthProblem(.keysUnusable, "no key of sealed data can be used: \($0)") },
      destructionFailure.map { HealthProblem(.keysNotDestroyed, "keys of wiped accounts are still there: \($0)") },
      escrow.failure.map { HealthProblem(.keysNotCopied, "keys have no copy for the organisation: \($0)") },
    ].compactMap(\.self)
  }
}

/// The account keys as the daemon opens them, and the destruction of those of wiped accounts (design, accounts, sections 6
/// and 8).
extension GuardCore {
  // MARK: Opening

  /// Opens the keys beside the loop. Calls that need one wait behind it.
  func begin(_ ring: KeyRing) {
    keys.ring = ring
    keepKeyBook()
    openKeys()
    settleEscrow()
  }

  private func openKeys() {
    guard let ring = keys.ring else { return }
    keys.retryAt = SystemClock.uptime + KeyState.pause
    let core = NIOLoopBound(self, eventLoop: loop)
    ring.open(for: loop).assumeIsolated().whenSuccess { core.value.didOpenKeys($0) }
  }

  private func didOpenKeys(_ opening: KeyRing.Opening) {
    for notice in opening.notices { logger.notice("account keys", metadata: ["found": "\(notice)"]) }
    keys.labelKey = opening.labelKey
    keys.escrow.importKey = opening.importKey
    tell(failure: opening.failure)
    guard opening.failure == nil else { return }
    destroyOwedKeys(again: true)
    keepCopies()
  }

  /// Notes why no key can be used, and tells it once.
  private func tell(failure: String?) {
    defer { keys.failure = failure }
    if let failure, failure != keys.failure {
      logger.critical("no key of sealed data can be used", metadata: ["cause": "\(failure)"])
    } else if failure == nil, keys.failure != nil {
      logger.notice("keys of sealed data can be used again")
    }
  }

  /// Once a second: tries again what failed.
  func tickKeys() {
    recordCopies()
    if keys.escrow.failure != nil, SystemClock.uptime >= keys.escrow.retryAt { keepCopies() }
    guard keys.failure != nil || !keys.book.owed.isEmpty, SystemClock.uptime >= keys.retryAt else { return }
    // A file that an administrator put right is read again.
    if keys.failure != nil || keys.destructionFailure != nil { openKeys() } else { destroyOwedKeys() }
  }

  /// Has the state file keep what the book learnt.
  func keepKeyBook() {
    for (name, text) in keys.book.takeChanges() { journal.state.note(mark: text, name) }
  }

  // MARK: Destruction

  /// Wipes reached apps: their use of keys ends, and the destructions that are due are noted in the very set of changes
  /// that has the wipe, so that no kill lies between. Call it before anything hands changes over.
  func noteWipes(_ steps: [AccountEvent]) {
    for step in steps where step.act == .wipeStarted {
      keys.book.endUse(of: keyOwners(step.person, step.account), by: step.app)
    }
    for (person, account) in state.wipeBook.keysToDestroy {
      guard !keys.book.owe(keyOwners(person, account), at: journal.now()) else { continue }
      logger.notice("keys stay: other apps of the person use them", metadata: ["uid": "\(person)"])
    }
    keepKeyBook()
    keys.book.keep(in: journal.state.newest(&state))
  }

  func keyOwners(_ person: UInt32, _ account: String) -> Set<KeyOwner> {
    let names = engine.names(ofAccount: account) ?? [AccountName.fold(account)]
    return keys.book.owners(of: person, named: [AccountName.fold(account)] + names)
  }

  /// Destroys the keys of wiped accounts that the next daemon would know of.
  ///
  /// - Parameter again: also after a failure, which else waits for its next time.
  func destroyOwedKeys(again: Bool = false) {
    guard let ring = keys.ring, !keys.book.owed.isEmpty, again || keys.destructionFailure == nil else { return }
    let settled = journal.state.settled
    let due = Set(keys.book.owed.filter { $0.value.set ?? .max <= settled && !keys.underWay.contains($0.key) }.keys)
    guard !due.isEmpty else { return }
    keys.underWay.formUnion(due)
    keys.retryAt = SystemClock.uptime + KeyState.pause
    let core = NIOLoopBound(self, eventLoop: loop)
    ring.destroy(due, for: loop).assumeIsolated().whenSuccess { core.value.didDestroy(due, $0) }
  }

  private func didDestroy(_ owners: Set<KeyOwner>, _ result: Result<KeyDestruction, KeyRing.Failure>) {
    keys.underWay.subtract(owners)
    switch result {
    case .success(let destruction):
      keys.destructionFailure = nil
      record(destruction, of: owners)
      keys.book.noteDestroyed(owners)
    case .failure(let failure):
      let cause = failure.words
      if cause != keys.destructionFailure {
        logger.critical("keys of a wiped account could not be destroyed", metadata: ["cause": "\(cause)"])
      }
      keys.destructionFailure = cause
      keys.book.noteAttempt(owners, at: journal.now())
    }
    keepKeyBook()
    submit()
  }

  private func record(_ destruction: KeyDestruction, of owners: Set<KeyOwner>) {
    for person in Set(owners.map(\.uid)).sorted() {
      logger.notice(
        "keys of wiped accounts are destroyed",
        metadata: ["uid": "\(person)", "keys": "\(destruction.destroyed.count)"])
      var entry = DataKeyEntry(.destroyed, person: person)
      let names = owners.filter { $0.uid == person }.compactMap { keys.book.holders[$0]?.names.first }
      entry.account = names.sorted().first
      entry.count = destruction.destroyed.count
      entry.generation = snapshot.generation
      // No full share hides a destruction.
      journal.record { $0.encode(entry, at: $1, into: &$2) }
    }
  }
}

extension KeyRing.Failure {
  /// For people; the end of a sentence, without key bytes.
  var words: String {
    switch self {
    case .keys(let error): error.description
    case .closed: "they are not open"
    case .tooManyAccounts: "the person has \(KeyRing.mostAccounts) accounts with keys already"
    }
  }
}
