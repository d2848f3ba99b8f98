import TestSupport
import Testing
import URLRules
import URLStandard

/// Many filters as one.
struct URLFilterSetTests {
  private func set(block: [String] = [], allow: [String] = []) throws -> URLFilterSet {
    URLFilterSet(
      block: try block.map { try URLFilter($0, side: .block) }, allow: try allow.map { try URLFilter($0, side: .allow) }
    )
  }

  private func answer(_ set: URLFilterSet, _ url: String) throws -> URLFilterSet.Answer {
    var answer = set.answer(for: try #require(URLRecord(url)))
    answer.examined = 0
    return answer
  }

  private func said(_ state: URLFilterSet.State, _ side: FilterSide, _ index: Int) -> URLFilterSet.Answer {
    URLFilterSet.Answer(state: state, filter: .init(side, index))
  }

  @Test
  func theAnswerSaysWhichFilterDecided() throws {
    let set = try set(block: ["*", "contoso.com/old", "contoso.com/old"], allow: ["contoso.com", ".contoso.com"])
    #expect(try answer(set, "https://else.example/") == said(.blocked, .block, 0))
    #expect(try answer(set, "https://contoso.com/old") == said(.allowed, .allow, 1))
    #expect(try answer(set, "https://www.contoso.com/old") == said(.blocked, .block, 1))
    #expect(try answer(set, "https://www.contoso.com/new") == said(.allowed, .allow, 0))
    #expect(try answer(self.set(), "https://contoso.com/") == URLFilterSet.Answer())
  }

  /// Since 2026 the star of an allow list says nothing of its own, and the star of a block list leaves `chrome:` alone.
  @Test
  func starsAreTheWeakest() throws {
    let both = try set(block: ["*"], allow: ["*"])
    #expect(try answer(both, "https://x/") == said(.neutral, .allow, 0))
    let block = try set(block: ["*"])
    for url in ["chrome://settings/", "chrome-extension://x/", "chrome-native://x/", "chrome-search://x/"] {
      #expect(try answer(block, url) == said(.allowed, .block, 0))
    }
    #expect(try answer(block, "devtools://x/") == said(.blocked, .block, 0))
    #expect(try answer(try set(block: ["*", "chrome:*"]), "chrome://settings/") == said(.blocked, .block, 1))
  }

  @Test
  func blobURLsAreNeverBlocked() throws {
    #expect(try answer(set(block: ["*"]), "blob:https://x/1") == said(.neutral, .block, 0))
    #expect(try answer(set(block: ["blob:*"]), "blob:https://x/1") == said(.neutral, .block, 0))
    #expect(try answer(set(allow: ["blob:*"]), "blob:https://x/1") == said(.allowed, .allow, 0))
  }

  @Test
  func aListMatchesWhenAnyFilterDoes() throws {
    let set = URLFilterSet(anyOf: try ["*", "x", "x/a"].map { try URLFilter($0, side: .block) })
    #expect(try answer(set, "https://x/a") == said(.blocked, .block, 2))
    #expect(try answer(set, "https://x/b") == said(.blocked, .block, 1))
    #expect(try answer(set, "chrome://settings/") == said(.blocked, .block, 0))
    #expect(try answer(set, "blob:null/1") == said(.blocked, .block, 0))
    #expect(!URLFilterSet(anyOf: []).matches(try #require(URLRecord("https://x/"))))
  }

  /// Chromium's limit is not ours.
  @Test
  func filtersBehindChromiumsLimitCount() throws {
    let set = try set(block: (0..<1_600).map { "h\($0).example" })
    #expect(try answer(set, "https://h1550.example/") == said(.blocked, .block, 1_550))
  }

  @Test
  func aHundredThousandFiltersCostWhatTenCost() throws {
    for family in FilterFamily.allCases {
      let filters = try (0..<Effort.scaled(100_000)).map { try URLFilter(family.filter($0), side: .block) }
      let large = URLFilterSet(anyOf: filters)
      let small = URLFilterSet(anyOf: Array(filters.prefix(10)))
      var most = 0
      for number in 0..<1_000 {
        let record = try #require(URLRecord(family.url(number * (filters.count / 1_000))))
        let answer = large.answer(for: record)
        #expect(answer.state == .blocked, "\(family): \(record.href)")
        most = max(most, answer.examined)
      }
      let miss = try #require(URLRecord("https://www.nowhere.example/watch/this?v=nothing&list=none"))
      let few = small.answer(for: try #require(URLRecord(family.url(3)))).examined
      #expect(large.answer(for: miss).examined <= 1, "\(family)")
      #expect(most <= few + 2, "\(family): \(most) filters looked at, \(few) of ten")
      let bytes = large.stateBytes / filters.count
      #expect(bytes < 256, "\(family): \(bytes) bytes a filter")
    }
  }

  /// However long a query, an element leads to no filters but those of its own token.
  @Test(arguments: ["v=1&", "&", "p&", "v=", "p1&v=1&", "%", "list=1&v=3&"])
  func hostileURLsLeadToFewFilters(_ piece: String) throws {
    let filters = try (0..<200).flatMap { number in
      [try URLFilter("x/w?v=\(number)&list=1", side: .block), try URLFilter("x?p\(number)*", side: .block)]
    }
    let pieces = 64_000 / piece.utf8.count
    let record = try #require(URLRecord("https://x/w?" + String(repeating: piece, count: pieces)))
    let answer = URLFilterSet(anyOf: filters).answer(for: record)
    #expect(answer.examined <= 2 * pieces)
    let expected = ReferenceFilters(anyOf: filters).answer(for: try #require(URLRecord("https://x/w?\(piece)\(piece)")))
    #expect(answer.filter == expected.filter)
  }
}

/// Lists with more conditions than a search keeps in mind.
struct URLFilterConditionTests {
  @Test(arguments: [FilterSide.block, .allow])
  func conditionsAreNotMistakenForOneAnother(_ side: FilterSide) throws {
    var random = SeededGenerator()
    let filters = try (0..<300).map { _ in
      try URLFilter("x?v=\(random.below(90))&w=\(random.below(90))&u\(random.below(90))*", side: side)
    }
    let set = URLFilterSet(anyOf: filters)
    let reference = ReferenceFilters(anyOf: filters)
    var matched = 0
    for _ in 0..<200 {
      let elements = (0..<60).map { _ in random.one(of: ["v=", "w=", "u"]) + "\(random.below(90))" }
      let query = side == .block ? elements.joined(separator: "&") : String(random.one(of: filters).text.dropFirst(2))
      let record = try #require(URLRecord("https://x/?" + query))
      let answer = set.answer(for: record)
      #expect(answer.filter == reference.answer(for: record).filter, "`\(record.href)`; \(random.note)")
      matched += answer.filter == nil ? 0 : 1
    }
    #expect(matched > 20)
  }
}

/// Kinds of lists that people keep.
enum FilterFamily: CaseIterable {
  case hosts
  case paths
  case videos
  case ports
  case schemes
  case queryPrefixes

  func filter(_ number: Int) -> String {
    switch self {
    case .hosts: "site\(number).example"
    case .paths: "share.example/users/\(number)/"
    case .videos: "video.example/watch?v=\(number)&list=1"
    case .ports: "https://.site\(number / 4).example:\([443, 8443, 8080, 444][number % 4])"
    case .schemes: "https://site\(number).example/\(number % 7)?*"
    case .queryPrefixes: "search.example/q?term=\(number)-*"
    }
  }

  func url(_ number: Int) -> String {
    switch self {
    case .hosts: "https://www.site\(number).example/a/b?c=d"
    case .paths: "https://share.example/users/\(number)/file"
    case .videos: "https://video.example/watch?list=1&v=\(number)&t=12"
    case .ports: "https://site\(number / 4).example:\([443, 8443, 8080, 444][number % 4])/"
    case .schemes: "https://site\(number).example/\(number % 7)?x=y"
    case .queryPrefixes: "https://search.example/q?a=b&term=\(number)-more"
    }
  }
}
