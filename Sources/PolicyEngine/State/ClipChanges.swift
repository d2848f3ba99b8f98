internal import GuardModel

/// The parts of one user's clips that are not written down yet: a bit for each, so that noting a change allocates
/// nothing.
struct ClipChanges: Sendable, Hashable {
  private var selections: UInt64 = 0
  private var slots = SIMD4<UInt64>()
  private(set) var budgetChanged = false

  var isEmpty: Bool { selections == 0 && slots == SIMD4() && !budgetChanged }

  mutating func note(_ selection: Selection, onDisplay index: Int) { selections |= Self.bit(selection, index) }

  /// Slot of a clip that went out with a number.
  mutating func note(slot: Int) { slots[slot / 64] |= 1 << UInt64(slot % 64) }

  mutating func noteBudget() { budgetChanged = true }

  func contains(_ selection: Selection, onDisplay index: Int) -> Bool { selections & Self.bit(selection, index) != 0 }

  func contains(slot: Int) -> Bool { slots[slot / 64] & 1 << UInt64(slot % 64) != 0 }

  /// Three bits a display; `unknown` is written as the two that it raises.
  private static func bit(_ selection: Selection, _ display: Int) -> UInt64 {
    let offset: UInt64 =
      switch selection {
      case .clipboard, .unknown: 0
      case .primary: 1
      case .drag: 2
      }
    return 1 << (UInt64(display) * 3 + offset)
  }
}
