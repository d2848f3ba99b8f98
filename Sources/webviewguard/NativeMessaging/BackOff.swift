/// How long to leave a daemon alone that did not answer: 100 ms, doubling to five seconds.
///
///     var backOff = BackOff()
///     backOff.fail()       // isOver in about 100 ms
///     backOff.succeed()    // isOver now
struct BackOff {
  private var milliseconds = Self.first
  private(set) var end = Deadline(after: 0)

  private static let first = 100
  private static let longest = 5000

  var isOver: Bool { end.isOver }

  /// Up to a fifth longer by chance, so that many clients do not come back as one.
  mutating func fail() {
    end = Deadline(after: milliseconds + Int.random(in: 0...(milliseconds / 5)))
    milliseconds = min(2 * milliseconds, Self.longest)
  }

  mutating func succeed() { self = BackOff() }
}
