/// Sets of lists, each kept once, under numbers: a host in three lists has the number of that set of three.
///
/// Number 0 is the empty set.
package struct ListSets: Sendable {
  /// Start of each set in `members`, with one entry more for the end.
  private var starts: [Int32] = [0, 0]
  /// The lists of each set, ascending.
  private var members: [Int32] = []
  private var numbers: [[Int32]: UInt32] = [[]: 0]
  /// The sets that came of adding a list to a set.
  private var enlarged: [UInt64: UInt32] = [:]
  /// The one that was made last, which is mostly the next one, too.
  private var last: (step: UInt64, set: UInt32) = (.max, 0)

  package var count: Int { starts.count - 1 }
  var residentBytes: Int { 4 * (starts.count + members.count) }

  /// The lists of a set, ascending.
  func lists(of set: UInt32) -> ArraySlice<Int32> {
    members[Int(starts[Int(set)])..<Int(starts[Int(set) + 1])]
  }

  package func contains(_ list: Int32, in set: UInt32) -> Bool {
    var low = Int(starts[Int(set)])
    var high = Int(starts[Int(set) + 1])
    while low < high {
      let middle = (low + high) / 2
      if members[middle] < list { low = middle + 1 } else { high = middle }
    }
    return low < Int(starts[Int(set) + 1]) && members[low] == list
  }

  /// The number of a set with one list more.
  mutating func adding(_ list: Int32, to set: UInt32) -> UInt32 {
    let step = UInt64(set) << 32 | UInt64(UInt32(bitPattern: list))
    if step == last.step { return last.set }
    if let known = enlarged[step] {
      last = (step, known)
      return known
    }
    var lists = Array(lists(of: set))
    if let place = lists.firstIndex(where: { $0 >= list }) {
      if lists[place] != list { lists.insert(list, at: place) }
    } else {
      lists.append(list)
    }
    let number = number(of: lists)
    enlarged[step] = number
    last = (step, number)
    return number
  }

  /// The number of the set of all lists that are in one of two sets.
  mutating func union(_ one: UInt32, _ other: UInt32) -> UInt32 {
    var set = one
    if one != other { for list in Array(lists(of: other)) { set = adding(list, to: set) } }
    return set
  }

  private mutating func number(of lists: [Int32]) -> UInt32 {
    if let known = numbers[lists] { return known }
    let number = UInt32(count)
    members += lists
    starts.append(Int32(members.count))
    numbers[lists] = number
    return number
  }

  /// Frees the memory that is needed only to make sets.
  mutating func freeze() {
    numbers = [:]
    enlarged = [:]
  }
}
