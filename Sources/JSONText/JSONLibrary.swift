internal import CSimdJSON

/// The simdjson that reads messages here.
package enum JSONLibrary {
  /// The version that this was built with, such as `3.1.1`.
  package static var version: String { String(cString: csimdjson_version()) }
  /// The implementation it chose for this processor, such as `haswell`; `fallback` is slow.
  package static var implementation: String { String(cString: csimdjson_implementation()) }
}
