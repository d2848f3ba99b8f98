internal import URLStandard

// What a filter says that its author hardly meant. Chromium takes it as it stands, and so does `matches`.
extension URLFilter {
  /// A star that is only a star: `*.example.com`, `example.com/*`, `?v=*1`.
  var hasLiteralStar: Bool {
    let star = UInt8(ascii: "*")
    return components.host.contains(star) || components.path.contains(star)
      || conditions.contains { $0.text.contains(star) }
  }

  /// The host as web URLs have it when that is not how the filter writes it; an inner nil when they cannot have it.
  var misspeltHost: [UInt8]?? {
    let host = components.host[ComparedHost(components.host.span).range]
    guard !host.isEmpty, components.scheme.isEmpty || Self.webSchemes.contains(components.scheme) else { return nil }
    let web = FilterReach.webHost(Array(host))
    return web == Array(host) ? nil : .some(web)
  }

  /// The scheme is one that rules never see.
  var isNeverJudged: Bool { Self.neverJudged.contains(components.scheme) }

  private static let webSchemes = names(["http", "https", "ws", "wss", "ftp"])

  private static let neverJudged = names([
    "ws", "wss", "blob", "filesystem", "view-source", "javascript", "data",
  ])

  private static func names(_ names: [String]) -> Set<[UInt8]> { Set(names.map { Array($0.utf8) }) }
}
