internal import Platform
internal import PolicyEngine

/// The second file of the state, `locks.db`: the wipes under way and the accesses that have ended, and nothing else.
///
/// The attack: the state file is damaged or gone, an app registers its account anew, and an account that a wipe had locked
/// works again. A loss of clips makes answers stricter, a loss of locks would not. So they stand in two files, and one that
/// cannot be used takes its content from the other.
///
/// INVARIANT: it is written before the state file, so that it never knows of fewer locks.
struct LockCopy: ~Copyable {
  private(set) var store: StateStore?
  /// Its locks; nil when there was no such file, or none that can be used.
  private(set) var locks: KeptAccounts?
  /// Why there is none to write to.
  private(set) var failure: String?

  init(of place: StatePlace, boot: String, synced: Bool) {
    let place = place.locks
    do throws(SystemError) {
      let isNew = FileStatus(entry: place.file) == nil
      let isDoubtful = try place.prepare() != nil
      var fault = open(place, boot, synced, isKnown: !isNew && !isDoubtful)
      if let first = fault, first.isDamage {
        try place.moveAside()
        _ = try place.prepare()
        fault = open(place, boot, synced, isKnown: false)
      }
      failure = fault?.description
    } catch {
      failure = error.description
    }
  }

  private mutating func open(_ place: StatePlace, _ boot: String, _ synced: Bool, isKnown: Bool) -> SQLiteError? {
    do throws(SQLiteError) {
      let opened = try StateStore(path: place.file, boot: boot, believing: true, synced: synced)
      if isKnown { locks = try opened.read().clips.accounts.locks }
      store = .some(opened)
      return nil
    } catch {
      return error
    }
  }

  mutating func write(_ changes: StateRecords) throws(SQLiteError) {
    var locks = StateRecords()
    locks.clips.accounts = changes.clips.accounts.locks
    if !locks.isEmpty { try store?.write(locks) }
  }

  mutating func checkpoint() throws(SQLiteError) { try store?.database.checkpoint() }

  mutating func close() { store = nil }
}

extension KeptAccounts {
  /// The wipes, and the accesses that have ended; a change of another account says that its access has not.
  var locks: KeptAccounts {
    var locks = KeptAccounts()
    locks.wipes = wipes
    locks.members = members.mapValues { $0?.status == .ended ? $0 : nil }
    return locks
  }

  /// Adds the locks of another file. The delays of its wipes begin anew: nobody knows how old it is.
  mutating func takeOver(_ locks: KeptAccounts) {
    members.merge(locks.members) { $1 }
    wipes = locks.wipes?.begunAnew ?? wipes
  }
}
