internal import URLStandard

extension URLFilter {
  /// A URL that the filter matches; nil when none was found, as for an allowed `*?v=1&v*&v`, which asks too much.
  ///
  ///     .example.com:8080/a?v=1*   ->  https://example.com:8080/a?v=1
  package var witness: String? {
    for text in witnesses {
      if let record = URLRecord(text), matches(record) { return text }
    }
    return nil
  }

  /// Texts of which one should do: with and without a letter behind the path, as a web URL and as another.
  private var witnesses: [String] {
    let path = FilterReach.text(components.path)
    let ends = path.isEmpty ? ["/"] : [path, path + "x"]
    return fronts.flatMap { front in ends.map { front + $0 + query } }
  }

  private var query: String {
    let texts = conditions.map { FilterReach.text($0.text) }
    return texts.isEmpty ? "" : "?" + texts.joined(separator: "&")
  }

  private var fronts: [String] {
    let scheme = FilterReach.text(components.scheme)
    let host = components.takesEveryHost ? "example.com" : FilterReach.text(components.host)
    let port = components.port == 0 ? "" : ":\(components.port)"
    let schemes = scheme.isEmpty ? ["https", "x"] : [scheme]
    let withHosts = schemes.map { "\($0)://\(host)\(port)" }
    let withoutHosts = schemes.flatMap { ["\($0):", "\($0)://", "\($0)://.\(port)"] }
    return components.host.isEmpty ? withHosts + withoutHosts + ["file://"] : withHosts
  }
}
