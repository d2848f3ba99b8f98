internal import GuardModel
internal import JSONText

extension JSONTree {
  /// A time of a reply, in milliseconds since 1970, written for people; `unknown` for anything else.
  static func time(_ value: JSONTree?) -> String {
    guard let milliseconds = value?.int, milliseconds >= 0 else { return "unknown" }
    return RFC3339.text(UInt64(milliseconds))
  }
}
