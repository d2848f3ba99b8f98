internal import URLRules
internal import URLStandard

/// The site under which a URL is counted.
enum DiffSite {
  /// Stands for events without a URL.
  static let none = "(no URL)"
  /// Stands for a text that is no URL.
  static let invalid = "(invalid URL)"

  /// The longest name of a host (RFC 1035, section 2.3.4); hosts of other schemes may be longer and are cut.
  private static let maximumLength = 253

  /// The host as rules see it; `data:` and the like when there is none.
  static func name(of url: borrowing URLSubject) -> String {
    guard url.kind != .invalid else { return invalid }
    if url.kind == .url {
      let host = url.judged.hostBytes
      if !host.isEmpty {
        return host.withUnsafeBufferPointer { String(decoding: $0.prefix(maximumLength), as: UTF8.self) }
      }
    }
    let scheme = url.kind == .url ? url.judged.schemeBytes : url.asRead.schemeBytes
    return scheme.withUnsafeBufferPointer { String(decoding: $0.prefix(maximumLength), as: UTF8.self) } + ":"
  }
}
