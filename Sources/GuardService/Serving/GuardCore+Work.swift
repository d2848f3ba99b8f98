internal import Platform

/// Measures the work that a user's calls make: its turns are paid with it.
extension GuardCore {
  /// Counts work: so many questions, and the bytes that they are about.
  func charge(_ questions: Int, bytes: Int = 0) { work &+= questions + bytes / Self.bytesOfOneQuestion }

  /// To read so many bytes takes as long as to answer a short question.
  private static let bytesOfOneQuestion = 4096
}

/// Charges a piece of work that took long for its time, if that is more than the charge for its content.
///
/// The attack: a user finds a call that takes long, such as a move of a viewer within a tree of thousands. It counts as
/// many questions then, and its user waits as long as others do. Work of less than a millisecond is no such call: its
/// time says more of the machine. For the same reason no time counts for more than one message may ask.
struct WorkWatch {
  private var time = SystemClock.monotonicMicroseconds
  private var charged: Int

  init(_ core: GuardCore) { charged = core.work }

  /// Charges for the work done since the last time.
  mutating func chargeTime(_ core: GuardCore) {
    let now = SystemClock.monotonicMicroseconds
    let questions = Self.questions(in: now - time)
    let added = max(0, questions - (core.work - charged))
    core.charge(added)
    core.workOfTime += added
    (time, charged) = (now, core.work)
  }

  private static func questions(in microseconds: UInt64) -> Int {
    microseconds < 1000 ? 0 : min(64, Int(microseconds / 100))
  }
}
