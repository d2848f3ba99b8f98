package import URLRules
package import URLStandard

/// Random URL filters and URLs over one small world of names, so that they meet often.
package struct RandomFilters {
  private static let hosts = [
    "a.example", "b.a.example", "c.b.a.example", "ba.example", "example", "a.example.", "1.2.3.4", "[::1]", "x", "com",
    "a..example", "xn--bcher-kva.example", "0x7f.1", "a.example..",
  ]
  private static let schemes = [
    "http", "https", "ws", "ftp", "file", "chrome", "chrome-extension", "about", "devtools", "HTTP",
  ]
  private static let otherSchemes = ["x", "blob", "mailto", "chrome-search", "custom", "data", "view-source"]
  private static let paths = ["", "/", "/a", "/a/", "/a/b", "/a/bc", "/aB", "/a%20b", "/*", "//", "/a/b/c/d", "/.x"]
  private static let tokens = [
    "v=1", "v=12", "v=1*", "v=*", "v", "v*", "*", "w=1", "w=2", "", "=1", "v=", "vw=1", "=", "v=1=2", "k", "v=*1",
  ]

  package init() {}

  /// A filter of this side; texts that are refused are drawn again.
  package func filter(_ side: FilterSide, _ random: inout SeededGenerator) -> URLFilter {
    while true {
      if let filter = try? URLFilter(filterText(&random), side: side) { return filter }
    }
  }

  package func filterText(_ random: inout SeededGenerator) -> String {
    switch random.below(40) {
    case 0: return "*"
    case 1: return random.one(of: Self.schemes + Self.otherSchemes) + random.one(of: [":*", "://*"])
    case 2: return "file://" + random.one(of: Self.paths)
    case 3: return "data:" + random.one(of: ["", "text", "text/html", "x,a?b", ",a"])
    case 4: return random.one(of: [".", "..", "*?", "*/a", "*:80", "*?*", ":*"])
    default: break
    }
    let scheme = random.oneIn(3) ? random.one(of: Self.schemes) + "://" : ""
    let credentials = scheme.isEmpty || !random.oneIn(12) ? "" : "user:pass@"
    let dot = random.one(of: ["", "", "", ".", ".", ".."])
    let host = random.oneIn(9) ? "*" : dot + random.one(of: Self.hosts)
    let port = random.oneIn(5) ? ":" + random.one(of: ["80", "443", "8080", "21", ""]) : ""
    let path = random.oneIn(2) ? random.one(of: Self.paths) : ""
    let query = random.oneIn(3) ? "?" + tokenList(&random) : ""
    return scheme + credentials + host + port + path + query + (random.oneIn(20) ? "#f" : "")
  }

  /// A URL that such filters may match; the empty record once in a hundred.
  package func record(_ random: inout SeededGenerator) -> URLRecord {
    while true {
      if random.oneIn(100) { return URLRecord() }
      if let record = URLRecord(url(&random)) { return record }
    }
  }

  private func url(_ random: inout SeededGenerator) -> String {
    let path = random.one(of: Self.paths)
    let query = random.oneIn(2) ? "?" + tokenList(&random).replacing("*", with: random.one(of: ["", "3", "*"])) : ""
    switch random.below(12) {
    case 0: return random.one(of: Self.otherSchemes) + ":" + random.one(of: ["text/html,x", "", "x,a", ",a"]) + query
    case 1: return "file://" + path + query
    default: break
    }
    let scheme = random.one(of: Self.schemes + ["http", "https"] + Self.otherSchemes)
    let below = random.oneIn(3) ? random.one(of: ["z.", ".", "a.", "..", "z"]) : ""
    let port = random.oneIn(4) ? ":" + random.one(of: ["80", "443", "8080", "21"]) : ""
    let more = random.oneIn(3) ? random.one(of: ["x", "/x", "b"]) : ""
    return scheme + "://" + below + random.one(of: Self.hosts) + port + path + (path.isEmpty ? "" : more) + query
  }

  private func tokenList(_ random: inout SeededGenerator) -> String {
    (0..<random.below(4)).map { _ in random.one(of: Self.tokens) }.joined(separator: "&")
  }
}

/// How many filters match the records, and one more for each that the set matches; without an allocation of its own.
package func countMatches(of records: [URLRecord], in set: URLFilterSet, _ filters: [URLFilter]) -> Int {
  var matched = 0
  for record in records {
    if set.matches(record) { matched += 1 }
    for filter in filters where filter.matches(record) { matched += 1 }
  }
  return matched
}
