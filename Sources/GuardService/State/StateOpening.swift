internal import Glibc

/// The state of a daemon before this one, taken up again.
struct OpenedState: Sendable {
  /// Nil when nothing can be kept.
  var writer: StateWriter?
  var records = StateRecords()
  /// Why what was kept, or what is to be kept, is lost; nil when all is well.
  var loss: String?

  /// Opens the state file of a directory.
  ///
  /// Never weaker than what was: a file that cannot be trusted is moved aside and counts as lost, so that every clip has an
  /// unknown managed owner until the next copy or change. Throws only when another daemon holds the file.
  ///
  /// - Parameter doubt: stands for "changes were not written": where it lies, the file says less than was answered.
  init(at place: StatePlace, doubt: DoubtMark, boot: String = BootID.current) throws(StartError) {
    do throws(SystemError) {
      loss = try place.prepare()
      if doubt.isSet {
        loss = "not everything was written to `\(place.file)`, or the daemon ran without it meanwhile"
        try place.moveAside()
        _ = try place.prepare()
      }
      try open(place, boot, doubt)
      try doubt.clear()
    } catch {
      writer = nil
      loss = error.description
    }
    if writer == nil { doubt.set() }
  }
}
