/// Lists of rule numbers, each ascending and without repetition, in one flat array.
struct Postings: Sendable {
  private var numbers: [Int32] = []

  subscript(_ index: Int32) -> Int32 {
    @inline(__always) get { numbers[Int(index)] }
  }

  func numbers(of list: PostingList) -> ArraySlice<Int32> { numbers[Int(list.start)..<Int(list.end)] }

  var residentBytes: Int { numbers.capacity * 4 }

  /// Adds a list; `rules` need be neither ascending nor free of repetition.
  mutating func add(_ rules: some Sequence<Int32>) -> PostingList {
    let start = Int32(numbers.count)
    var last: Int32 = -1
    for rule in rules.sorted() where rule != last {
      numbers.append(rule)
      last = rule
    }
    return PostingList(start: start, end: Int32(numbers.count))
  }
}

/// A list in `Postings`; the zero value is the empty list.
struct PostingList: Sendable {
  var start: Int32 = 0
  var end: Int32 = 0

  var isEmpty: Bool { start == end }
  var count: Int { Int(end - start) }
}
