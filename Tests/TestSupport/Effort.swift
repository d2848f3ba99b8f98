/// How much work the big suites do: all of it in release builds, a fiftieth in debug builds, where span code is thirteen
/// times slower.
package enum Effort {
  /// Whether this is a debug build.
  package static let isReduced: Bool = {
    var isDebug = false
    assert(
      {
        isDebug = true; return true
      }())
    return isDebug
  }()

  /// `cases`, or a fiftieth of them in a debug build.
  package static func scaled(_ cases: Int) -> Int { isReduced ? max(1, cases / 50) : cases }
}
