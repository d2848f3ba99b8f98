/// The middle of some times, and their slow end.
struct Percentiles {
  private let sorted: [UInt64]

  init(_ times: [UInt64]) { sorted = times.sorted() }

  var text: String { "\(at(0.5)) \(at(0.99)) \(at(0.999))" }

  /// The time that this part of all does not exceed.
  private func at(_ part: Double) -> UInt64 {
    guard let last = sorted.indices.last else { return 0 }
    return sorted[min(last, Int(part * Double(sorted.count)))]
  }
}
