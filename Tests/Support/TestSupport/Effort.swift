private import Glibc

/// How much work the big suites do: all of it in release builds, a tenth in debug builds, where span code is thirteen
/// times slower. `WEBVIEWGUARD_EFFORT`, a percentage, says otherwise.
package enum Effort {
  /// Whether this is a debug build.
  package static let isReduced: Bool = {
    var isDebug = false
    assert(set(&isDebug))
    return isDebug
  }()

  /// Of a hundred cases so many are tried.
  private static let percent =
    getenv("WEBVIEWGUARD_EFFORT").flatMap { Int(String(cString: $0)) } ?? (isReduced ? 10 : 100)

  /// Runs only where assertions are checked.
  private static func set(_ flag: inout Bool) -> Bool {
    flag = true
    return true
  }

  /// Whether only a part of the cases is tried: a rare outcome may then be missing.
  package static var isPartial: Bool { percent < 100 }

  /// `cases`, or as many of them as this run tries; never none.
  package static func scaled(_ cases: Int) -> Int { max(1, cases * percent / 100) }
}
