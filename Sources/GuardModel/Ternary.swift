/// A truth that may not be known. Engines do not always tell, and a rule that lacks its context cannot be decided.
///
/// The zero value is `unknown`, the one that never makes an answer weaker.
package enum Ternary: UInt8, Sendable, Hashable {
  case unknown = 0
  case no
  case yes

  package init(_ known: Bool) { self = known ? .yes : .no }

  /// `Ternary(nil)` is `unknown`.
  package init(_ value: Bool?) {
    guard let value else {
      self = .unknown
      return
    }
    self = value ? .yes : .no
  }
}
