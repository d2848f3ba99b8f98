extension RandomAccessCollection where Index == Int {
  /// The first index whose element belongs into the second part, where all of the first part come first; else the end.
  /// Looks at as many elements as their number has binary digits.
  ///
  ///     [1, 3, 3, 7].partitioningIndex { $0 >= 3 }    // 1
  ///     [1, 3, 3, 7].partitioningIndex { $0 > 7 }     // 4
  func partitioningIndex(where belongsInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if belongsInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
