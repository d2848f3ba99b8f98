internal import Glibc

/// The state of a daemon before this one, taken up again.
package struct OpenedState: Sendable {
  /// Nil when nothing can be kept.
  package private(set) var writer: StateWriter?
  package private(set) var records = StateRecords()
  /// Why what was kept, or what is to be kept, is lost; nil when all is well.
  package private(set) var loss: String?

  /// Opens the state file of a place.
  ///
  /// Never weaker than what was: a file that cannot be trusted is moved aside and counts as lost, so that every clip has an
  /// unknown managed owner until the next copy or change. Throws only when another daemon holds the file.
  package init(at place: StatePlace, doubt: DoubtMark, boot: String = BootID.current) throws(StartError) {
    do throws(SystemError) {
      if let damage = try place.prepare() { loss = damage }
      if doubt.isSet { try discard("not everything that was answered had been written", place) }
      var failure = tryOpening(place, doubt, boot)
      if let first = failure, !first.isBusy {
        try discard(first.description, place)
        failure = tryOpening(place, doubt, boot)
      }
      if let failure, failure.isBusy { throw SystemError("lock", place.file, EWOULDBLOCK) }
      if let failure { loss = failure.description }
    } catch {
      guard error.number != EWOULDBLOCK else { throw .stateInUse(place.file) }
      loss = error.description
    }
    if writer == nil { doubt.set() }
  }

  /// Returns why the file could not be opened.
  private mutating func tryOpening(_ place: StatePlace, _ doubt: DoubtMark, _ boot: String) -> SQLiteError? {
    do throws(SQLiteError) {
      let store = try StateStore(path: place.file, boot: boot)
      records = try store.read()
      writer = StateWriter(store: store, doubt: doubt)
      return nil
    } catch {
      return error
    }
  }

  private mutating func discard(_ cause: String, _ place: StatePlace) throws(SystemError) {
    loss = cause
    try place.moveAside()
    _ = try place.prepare()
  }
}
