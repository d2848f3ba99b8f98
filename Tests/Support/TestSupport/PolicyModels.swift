internal import JSONText
internal import URLRules
internal import URLStandard

/// `URLBlocklist` and `URLAllowlist`, read by the code that was held against Chromium's.
package struct BlocklistModel: EngineModel {
  private let filters: URLFilterSet

  package init(_ document: [UInt8]) throws {
    let tree = try JSONTree(parsing: String(decoding: document, as: UTF8.self))
    filters = URLFilterSet(
      block: try tree.list("URLBlocklist").map { try URLFilter($0, side: .block) },
      allow: try tree.list("URLAllowlist").map { try URLFilter($0, side: .allow) })
  }

  package func blocks(_ request: EngineRequest) -> Bool {
    (request.kind == .page || request.kind == .frame) && filters.matches(request.url)
  }
}

/// Firefox's `WebsiteFilter`: what a pattern of `Block` takes and none of `Exceptions`.
///
/// Both are compared in lower case, and without dots behind the host.
///
/// Source: browser/components/enterprisepolicies/helpers/WebsiteFilter.sys.mjs of Firefox 153, and MDN, "Match patterns
/// in extension manifests"; checked with Firefox 153.
package struct WebsiteFilterModel: EngineModel {
  private struct Pattern {
    var schemes: Set<String>
    var host: String
    var path: String

    init(_ text: String) throws {
      let text = text.lowercased()
      guard let end = text.firstRange(of: "://"), let slash = text[end.upperBound...].firstIndex(of: "/") else {
        throw EngineModelError("no match pattern: \(text)")
      }
      let scheme = String(text[..<end.lowerBound])
      schemes = scheme == "*" ? ["http", "https", "ws", "wss"] : [scheme]
      host = String(text[end.upperBound..<slash])
      path = String(text[slash...])
      guard !host.dropFirst(host.hasPrefix("*") ? 1 : 0).contains("*") else { throw EngineModelError("star: \(text)") }
      let rest = host.hasPrefix("[") ? "" : host
      guard !rest.contains(":") else { throw EngineModelError("port: \(text)") }
    }

    func takes(_ url: URLRecord) -> Bool {
      let name = url.hostname.hasSuffix(".") ? String(url.hostname.dropLast()) : url.hostname
      let isHost =
        host == "*" || host == name
        || host.hasPrefix("*.") && (name == host.dropFirst(2) || name.hasSuffix(host.dropFirst(1)))
      let scheme = String(decoding: url.bytes[url.schemeRange], as: UTF8.self)
      let target = url.bytes[
        url.pathRange.lowerBound..<(url.fragmentRange.map { $0.lowerBound - 1 } ?? url.bytes.count)]
      return isHost && schemes.contains(scheme) && Self.glob(Array(path.utf8)[...], target.map(\.lowercasedLetter)[...])
    }

    private static func glob(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      guard first == UInt8(ascii: "*") else {
        return text.first == first && glob(pattern.dropFirst(), text.dropFirst())
      }
      return (text.startIndex...text.endIndex).contains { glob(pattern.dropFirst(), text[$0...]) }
    }
  }

  private let blocked: [Pattern]
  private let exceptions: [Pattern]

  package init(_ document: [UInt8]) throws {
    let tree = try JSONTree(parsing: String(decoding: document, as: UTF8.self))
    guard let filter = tree["policies"]?["WebsiteFilter"] else { throw EngineModelError("no WebsiteFilter") }
    blocked = try filter.list("Block").map { try Pattern($0) }
    exceptions = try filter.list("Exceptions").map { try Pattern($0) }
  }

  package func blocks(_ request: EngineRequest) -> Bool {
    guard request.kind == .page || request.kind == .frame else { return false }
    return blocked.contains { $0.takes(request.url) } && !exceptions.contains { $0.takes(request.url) }
  }
}

extension UInt8 {
  fileprivate var lowercasedLetter: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
