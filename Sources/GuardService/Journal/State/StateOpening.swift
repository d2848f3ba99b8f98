internal import Glibc
internal import Platform
internal import PolicyEngine

/// The state of a daemon before this one, taken up again.
package struct OpenedState: Sendable {
  /// Nil when nothing can be kept.
  package private(set) var writer: StateWriter?
  package private(set) var records = StateRecords()
  /// Why the kept state, or the state to be kept, is lost; nil when all is well.
  package private(set) var loss: String?
  /// Why locks of accounts may be lost: neither the state nor its copy of them could be used, or no copy can be made.
  package private(set) var lockLoss: String?
  private let isSynced: Bool
  /// The state file was moved aside.
  private var isUnusable = false

  /// Opens the state file of a place.
  ///
  /// Never weaker than before: a damaged file is moved aside and counts as lost, so that every clip has an unknown
  /// managed owner until the next copy or change; only the time is believed of a file that the mark tells of. A disk
  /// that fails damages nothing: the file stays where it is. Throws only when another daemon holds the file.
  package init(
    at place: StatePlace, doubt: DoubtMark, boot: String = BootID.current, synced: Bool = false
  ) throws(StartError) {
    isSynced = synced
    do throws(SystemError) {
      try open(place, doubt, boot)
    } catch {
      guard error.number != EWOULDBLOCK else { throw .stateInUse(place.file) }
      loss = error.description
    }
    if writer == nil { doubt.set() }
  }

  private mutating func open(_ place: StatePlace, _ doubt: DoubtMark, _ boot: String) throws(SystemError) {
    let lock = try place.claim()
    if let damage = try place.prepare() { (loss, isUnusable) = (damage, true) }
    if doubt.isSet { loss = "not everything that was answered had been written" }
    var failure = tryOpening(place, lock, doubt, boot)
    if let first = failure, first.isDamage {
      (loss, isUnusable) = (first.description, true)
      // A state that a crash leaves in the middle of this is not believed.
      doubt.set()
      try place.moveAside()
      _ = try place.prepare()
      failure = tryOpening(place, lock, doubt, boot)
    }
    if let failure, failure.isBusy { throw SystemError("lock", place.file, EWOULDBLOCK) }
    if let failure { loss = failure.description }
  }

  /// A state that is not believed, or that somebody removed, gets its locks from the copy.
  private mutating func takeLocks(of copy: borrowing LockCopy, _ place: StatePlace) {
    if loss != nil || records.isEmpty, let locks = copy.locks { records.clips.accounts.takeOver(locks) }
    if let failure = copy.failure {
      lockLoss = "`\(place.locks.file)` cannot be used: \(failure)"
    } else if isUnusable, copy.locks == nil {
      lockLoss = "neither `\(place.file)` nor `\(place.locks.file)` could be used"
    }
  }

  /// Returns why the file could not be opened.
  private mutating func tryOpening(
    _ place: StatePlace, _ lock: FileLock, _ doubt: DoubtMark, _ boot: String
  ) -> SQLiteError? {
    do throws(SQLiteError) {
      let store = try StateStore(path: place.file, boot: boot, believing: !doubt.isSet, synced: isSynced)
      records = try store.read()
      let copy = LockCopy(of: place, boot: boot, synced: isSynced)
      takeLocks(of: copy, place)
      let opened = StateWriter(StateSink(store: store, locks: copy, lock: lock, doubt: doubt), StateSink.Queue())
      // Both files have the same locks from here on. The accounts that are free go along, so that the copy learns it.
      var known = StateRecords()
      known.clips.accounts.members = records.clips.accounts.members
      known.clips.accounts.wipes = records.clips.accounts.wipes
      if !known.isEmpty { opened.submit(known, through: 0) }
      // The things that the file says and does not hold go at once, and the mark with them.
      _ = opened.settle()
      writer = opened
      return nil
    } catch {
      return error
    }
  }
}
