internal import URLRules

/// One mention of a list in a file of rules or policy.
struct ListUse: Sendable {
  var reference: ListReference
  /// The side for which URL filters of the list are read there.
  var side: FilterSide
}

/// Takes the mentions of lists while one file is read.
///
/// A condition must say which list it means before any list is read. Until then it says which mention it is.
final class ListUses {
  private(set) var all: [ListUse] = []

  /// The condition that stands for the list until `LoadedLists` puts in its real condition.
  func add(_ reference: ListReference, side: FilterSide) -> Condition {
    all.append(ListUse(reference: reference, side: side))
    return .list(Int32(truncatingIfNeeded: all.count - 1))
  }
}
