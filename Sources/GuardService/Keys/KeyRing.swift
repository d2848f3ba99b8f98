internal import AccountKeys
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import Secrets

/// The account keys on their files, and the one thread that touches them: it may wait for the disk, the event loop never.
/// Its work is done in the order in which it was asked for. While it has none the event loop takes keys from memory itself.
///
/// A step that failed in the middle leaves memory and files in doubt. The keys are opened again then, and meanwhile none is
/// given.
final class KeyRing: Sendable {
  /// The keys; nil while they cannot be used.
  private struct Vault: ~Copyable {
    var store: KeyStore<FileKeyDisk>?
    /// The public key that the policy has copies sealed to.
    var recipient: EscrowPublicKey?

    /// Whether the latest attempt left them so.
    var isInDoubt = false

    /// Whether the answer is in memory: no disk is waited for, and nothing is in doubt.
    mutating func isReady(for question: Question) -> Bool {
      guard let present = question.owners.first, store?.isInDoubt == false else { return false }
      return question.keyID != nil || store?.isReadyToWrite(present) == true
    }

    mutating func attempt<Product>(
      _ work: (inout KeyStore<FileKeyDisk>) throws(Failure) -> Product
    ) -> Result<Product, Failure> {
      guard var opened = store.take() else { return .failure(.closed) }
      let result: Result<Product, Failure>
      do throws(Failure) { result = .success(try work(&opened)) } catch { result = .failure(error) }
      isInDoubt = opened.isInDoubt
      store = .some(opened)
      return result
    }
  }

  private let place: KeyPlace
  /// Where systemd puts credentials (`$CREDENTIALS_DIRECTORY`); nil where it gives none.
  private let credentials: String?
  private let thread = NIOThreadPool(numberOfThreads: 1)
  private let vault = Locked(Vault(store: nil))
  /// The keys as the thread last left them, for labels and previews: the event loop does not wait for the thread's disk.
  private let census = Locked(KeyCensus())
  /// Keys that got a copy for the organisation, and of which the log has not heard.
  private let copied = Locked<[KnownKey]>([])
  /// Pieces of work that the thread was asked for, and whose end the event loop has not heard of.
  private let underWay = Locked<Int>(0)

  /// Maximum accounts of one person that get keys. A program can invent accounts wherever a pattern takes them, and all
  /// persons share one register: 256 of them may take as many.
  static let mostAccounts = 256

  init(state: String, credentials: String?) {
    (place, self.credentials) = (KeyPlace(state: state), credentials)
    thread.start()
  }

  // MARK: Opening

  /// What came of opening the keys.
  struct Opening: Sendable {
    /// Why they cannot be used; nil when they can.
    var failure: String?
    /// One line each, for the operational log.
    var notices: [String] = []
    var keys = 0
    /// The key of labels; nil where nobody can tell that the secret is the right one.
    var labelKey: LabelKey?
    /// The public key to which keys are sealed that shall come to this machine.
    var importKey: EscrowPublicKey?
  }

  /// Opens the keys, or opens them again.
  func open(for loop: any EventLoop) -> EventLoopFuture<Opening> {
    run(for: loop) { vault in
      do throws(KeyStoreError) {
        try self.open(&vault)
        return Opening(
          notices: vault.store?.notices.map(\.description) ?? [], keys: vault.store?.keyCount ?? 0,
          labelKey: vault.store?.labelKey, importKey: vault.store?.importKey)
      } catch {
        return Opening(failure: error.description, labelKey: self.labelKey())
      }
    }
  }

  /// The key of labels, read beside the keys; it waits for the disk. Nil before the first keys are made, and where the
  /// secret cannot be used.
  func labelKey() -> LabelKey? {
    do throws(KeyStoreError) {
      let credential = try credential()
      return KeyStore.labelKey(at: place, credential: credential, machine: MachineID.text, disk: FileKeyDisk())
    } catch { return nil }
  }

  /// The newest key of an account, as far as the keys have been opened.
  func newestKey(of owner: KeyOwner) -> KeyID? { known.newest[owner]?.id }

  /// The keys and copies, as far as the keys have been opened.
  var known: KeyCensus { census.withLock { $0 } }

  /// The keys that got a copy since the last call.
  func takeCopied() -> [KnownKey] {
    copied.withLock { copied in
      defer { copied = [] }
      return copied
    }
  }

  private func credential() throws(KeyStoreError) -> SecretBytes? {
    guard let credentials else { return nil }
    return try KeySecret.credential(in: credentials)
  }

  private func open(_ vault: inout Vault) throws(KeyStoreError) {
    vault.store = nil
    let credential = try credential()
    var store = try KeyStore.open(at: place, credential: credential, machine: MachineID.text, disk: FileKeyDisk())
    // No copy is made here: an escrow key of no use must not keep anybody from reading.
    try? store.keepCopies(for: vault.recipient, most: 0)
    vault.store = .some(store)
  }

  /// Ends when everything that was asked for before is done.
  func wait(for loop: any EventLoop) -> EventLoopFuture<Void> { run(for: loop) { _ in } }

  // MARK: Work

  /// The question for the key of one object.
  struct Question: Sendable {
    /// Nil to write.
    var keyID: KeyID?
    var object: SealedObjectID
    var use = KeyUse.envelope
    /// The account under each of its ids, the present one first. To read any of them will do.
    var owners: [KeyOwner]
  }

  struct Answer: Sendable {
    var key: DataKey
    var owner: KeyOwner
  }

  enum Failure: Error, Sendable {
    case keys(KeyStoreError)
    /// They could not be opened, or the daemon ends.
    case closed
    /// The person has as many accounts with keys as it may.
    case tooManyAccounts
  }

  func key(_ question: Question, for loop: any EventLoop) -> EventLoopFuture<Result<Answer, Failure>> {
    attempt(for: loop) { (store: inout KeyStore) throws(Failure) in try Self.answer(question, &store) }
  }

  /// The same from memory, on the event loop: a wake-up of the thread costs more than ten decisions.
  ///
  /// - Returns: nil where the thread has to say: it was asked for something that may change the answer, such as a destruction
  ///   or a rotation, or the answer needs the disk.
  func keyInMemory(_ question: Question) -> Result<Answer, Failure>? {
    guard underWay.withLock({ $0 }) == 0 else { return nil }
    // The thread does nothing, so that nobody holds the lock.
    return vault.withLock { vault in
      guard vault.isReady(for: question) else { return nil }
      return vault.attempt { (store: inout KeyStore) throws(Failure) in try Self.answer(question, &store) }
    }
  }

  /// Destroys all keys of these accounts; accounts without keys are no error. What it throws is worth another try.
  func destroy(_ owners: Set<KeyOwner>, for loop: any EventLoop) -> EventLoopFuture<Result<KeyDestruction, Failure>> {
    attempt(for: loop) { (store: inout KeyStore) throws(Failure) in
      do throws(KeyStoreError) { return try store.destroy(owners) } catch { throw .keys(error) }
    }
  }

  /// Gives an account a new key under the first of its ids, which is the present one.
  ///
  /// - Returns: nil where it has no key under any of them: there is nothing to change, and a name that somebody mistyped
  ///   gets no key.
  func rotate(_ owners: [KeyOwner], for loop: any EventLoop) -> EventLoopFuture<Result<KeyID?, Failure>> {
    attempt(for: loop) { (store: inout KeyStore) throws(Failure) in
      guard let present = owners.first else { throw .closed }
      guard !owners.allSatisfy({ !store.hasKey($0) }) else { return nil }
      try Self.checkRoom(for: present, store)
      do throws(KeyStoreError) { return try store.rotate(present) } catch { throw .keys(error) }
    }
  }

  /// Sets the public key that copies are sealed to, and makes some of the copies that are missing.
  ///
  /// - Returns: the number of those that are missing still; ask again then.
  func keepCopies(for recipient: EscrowPublicKey?, for loop: any EventLoop) -> EventLoopFuture<Result<Int, Failure>> {
    run(for: loop) { vault in
      vault.recipient = recipient
      return vault.attempt { (store: inout KeyStore) throws(Failure) in
        do throws(KeyStoreError) { try store.keepCopies(for: recipient, most: Self.copiesAtOnce) } catch {
          throw .keys(error)
        }
        return store.missingCopies
      }
    }.flatMapErrorThrowing { _ in .failure(.closed) }
  }

  /// Copies between which others get their keys: each waits for the disk.
  private static let copiesAtOnce = 64

  /// Takes in the key that a copy has, to open what was sealed under it elsewhere.
  ///
  /// - Returns: false when the key is here already.
  func recover(_ copy: EscrowCopy, for uid: UInt32, for loop: any EventLoop) -> EventLoopFuture<Result<Bool, Failure>> {
    attempt(for: loop) { (store: inout KeyStore) throws(Failure) in
      try Self.checkRoom(for: KeyOwner(uid: uid, account: copy.owner.account), store)
      do throws(KeyStoreError) { return try store.recover(copy, for: uid) } catch { throw .keys(error) }
    }
  }

  /// The newest keys of accounts; those that have none, and all of them while the keys cannot be used, are left out.
  func newest(of owners: [KeyOwner], for loop: any EventLoop) -> EventLoopFuture<[KeyOwner: KeyID]> {
    attempt(for: loop) { (store: inout KeyStore) throws(Failure) in
      var found: [KeyOwner: KeyID] = [:]
      for owner in owners { found[owner] = store.newestKey(of: owner) }
      return found
    }.map { (try? $0.get()) ?? [:] }
  }

  private static func checkRoom(for owner: KeyOwner, _ store: borrowing KeyStore<FileKeyDisk>) throws(Failure) {
    if !store.hasKey(owner), store.accounts(of: owner.uid) >= mostAccounts { throw .tooManyAccounts }
  }

  private static func answer(
    _ question: Question, _ store: inout KeyStore<FileKeyDisk>
  ) throws(Failure) -> Answer {
    guard let present = question.owners.first else { throw .closed }
    guard let id = question.keyID else {
      try checkRoom(for: present, store)
      do throws(KeyStoreError) {
        return Answer(key: try store.writingKey(for: question.object, of: present, use: question.use), owner: present)
      } catch { throw .keys(error) }
    }
    var failure = KeyStoreError.unknownKey(id)
    for owner in question.owners {
      do throws(KeyStoreError) {
        let key = try store.readingKey(for: question.object, under: id, of: owner, use: question.use)
        return Answer(key: key, owner: owner)
      } catch {
        // Of its several ids one may have had the key: that it was destroyed says more than that others never had it.
        if error != .unknownKey(id) { failure = error }
      }
    }
    throw .keys(failure)
  }

  /// Does the work, and once more on keys that were opened again, when they were in doubt.
  private func attempt<Product: Sendable>(
    for loop: any EventLoop,
    _ work: @escaping @Sendable (inout KeyStore<FileKeyDisk>) throws(Failure) -> Product
  ) -> EventLoopFuture<Result<Product, Failure>> {
    run(for: loop) { vault in
      let first = vault.attempt(work)
      guard case .failure = first, vault.isInDoubt else { return first }
      do throws(KeyStoreError) { try self.open(&vault) } catch { return .failure(.keys(error)) }
      return vault.attempt(work)
    }.flatMapErrorThrowing { _ in .failure(.closed) }
  }

  private func run<Product: Sendable>(
    for loop: any EventLoop, _ work: @escaping @Sendable (inout Vault) -> Product
  ) -> EventLoopFuture<Product> {
    underWay.withLock { $0 += 1 }
    return thread.runIfActive(eventLoop: loop) { [vault, census, copied] in
      vault.withLock { vault in
        let product = work(&vault)
        let (known, fresh) = (vault.store?.census ?? KeyCensus(), vault.store?.takeFreshCopies() ?? [])
        census.withLock { $0 = known }
        copied.withLock { $0 += fresh }
        return product
      }
    }.always { [underWay] _ in underWay.withLock { $0 -= 1 } }
  }

  /// Ends the thread, after everything that it was asked for.
  func end() { thread.shutdownGracefully { _ in } }
}
