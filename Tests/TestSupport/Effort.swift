/// How much work the big suites do: all of it in release builds, a tenth in debug builds, where span code is thirteen
/// times slower.
package enum Effort {
  /// Whether this is a debug build.
  package static let isReduced: Bool = {
    var isDebug = false
    assert(set(&isDebug))
    return isDebug
  }()

  /// Runs only where assertions are checked.
  private static func set(_ flag: inout Bool) -> Bool {
    flag = true
    return true
  }

  /// `cases`, or a tenth of them in a debug build.
  package static func scaled(_ cases: Int) -> Int { isReduced ? max(1, cases / 10) : cases }
}
