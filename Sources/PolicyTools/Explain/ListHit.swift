internal import GuardModel
package import URLRules
internal import URLStandard

/// An entry of a list that takes a URL, as far as the compiled rules know it: they keep neither lines nor texts.
package enum ListHit: Sendable, Hashable {
  /// The host of the URL is named by the list file, or lies below a name there.
  case host(String, file: String)
  /// The filter with this number in the list file, from 0; lines that hold no filter are not counted.
  case filter(Int, file: String)
  /// The filter with this number in one of the two lists of a `chromium` matcher, which have so many.
  case chromium(FilterSide, Int, block: Int, allow: Int)
}

extension MatchInput {
  /// The entry of a list by which a matcher holds; nil for a matcher without a list.
  func hit(of condition: Condition) -> ListHit? {
    switch condition {
    case .list(_, let file): return .host(url.judged.hostname, file: file)
    case .filters(let set, let file):
      guard let place = set.answer(for: url.judged).filter else { return nil }
      if !file.isEmpty { return .filter(place.index, file: file) }
      return .chromium(place.side, place.index, block: set.count(of: .block), allow: set.count(of: .allow))
    default: return nil
    }
  }
}
