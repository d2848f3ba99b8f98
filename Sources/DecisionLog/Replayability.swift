/// The degree to which a record can be judged again from its content.
///
/// Ordered: `no < host < path < full`. A record with two URLs is as good as the worse of them.
package enum Replayability: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Not at all: the URL was invalid, or something that changes verdicts is missing, such as credentials.
  case no
  /// Only rules that ask for scheme and host come out the same.
  case host
  /// All rules but those that look at the query.
  case path
  /// Everything that rules can see is there. They do not see a fragment.
  case full

  package static func < (left: Replayability, right: Replayability) -> Bool { left.rank < right.rank }

  /// The place among all cases.
  var rank: Int {
    switch self {
    case .no: 0
    case .host: 1
    case .path: 2
    case .full: 3
    }
  }
}
