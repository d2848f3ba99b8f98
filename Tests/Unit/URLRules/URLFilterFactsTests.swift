import TestSupport
import Testing
import URLRules
import URLStandard

/// Every fact that Chromium's own tests state about URL filters.
@Suite(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
struct URLFilterFactsTests {
  /// A filter that is refused here is one that matches nothing in Chromium.
  private func filter(_ text: String, _ side: FilterSide) -> URLFilter? { try? URLFilter(text, side: side) }

  /// Texts that are no URL become the empty record, as they become an invalid URL in Chromium.
  private func record(_ url: String) -> URLRecord { URLRecord(url) ?? URLRecord() }

  @Test
  func singleFiltersMatchAsInChromium() throws {
    let cases = try URLFilterCases.load().single_filter
    var checked = 0
    for fact in cases where fact.superseded != true {
      for side in [FilterSide.block, .allow] {
        let matches = filter(fact.filter, side)?.matches(record(fact.url)) ?? false
        #expect(matches == fact.match, "`\(fact.filter)` on `\(fact.url)`")
        let set = URLFilterSet(anyOf: [filter(fact.filter, side)].compactMap(\.self))
        #expect(set.matches(record(fact.url)) == fact.match, "set of `\(fact.filter)` on `\(fact.url)`")
      }
      checked += 1
    }
    #expect(cases.count == 104)
    #expect(checked == 102)
  }

  /// Two facts of an older snapshot, from the time when only special URLs had hosts for Chromium. Today's test of the
  /// same two classes of URL expects the opposite, and so do we.
  @Test
  func supersededFactsAreAnsweredAsTodaysChromiumDoes() throws {
    let superseded = try URLFilterCases.load().single_filter.filter { $0.superseded == true }
    #expect(superseded.map(\.url) == ["about://example.com", "custom://example.com"])
    #expect(superseded.map(\.filter) == ["example.com", "example.com"])
    for fact in superseded {
      #expect(!fact.match)
      #expect(try URLFilter(fact.filter, side: .block).matches(record(fact.url)))
    }
  }

  @Test
  func listsOfFiltersMatchAsInChromium() throws {
    let cases = try URLFilterCases.load().any_of_filters
    for fact in cases {
      let filters = try fact.filters.map { try URLFilter($0, side: .allow) }
      #expect(URLFilterSet(anyOf: filters).matches(record(fact.url)) == fact.match, "\(fact)")
    }
    #expect(cases.count == 21)
  }

  @Test
  func blockAndAllowListsDecideAsInChromium() throws {
    let cases = try URLFilterCases.load().block_allow
    for fact in cases {
      let set = URLFilterSet(
        block: try fact.block.map { try URLFilter($0, side: .block) },
        allow: try fact.allow.map { try URLFilter($0, side: .allow) })
      #expect(set.matches(record(fact.url)) == fact.blocked, "\(fact)")
    }
    #expect(cases.count == 71)
  }

  @Test
  func statesAreThoseOfChromium() throws {
    let cases = try URLFilterCases.load().states
    let names = ["allowlist": URLFilterSet.State.allowed, "blocklist": .blocked, "neutral": .neutral]
    for fact in cases {
      let isAllow = fact.list == "allow"
      let filter = try URLFilter(fact.pattern, side: isAllow ? .allow : .block)
      let set = URLFilterSet(block: isAllow ? [] : [filter], allow: isAllow ? [filter] : [])
      #expect(set.answer(for: record(fact.url)).state == names[fact.state], "\(fact)")
    }
    #expect(cases.count == 9)
  }

  @Test
  func componentsAreThoseOfChromium() throws {
    let cases = try URLFilterCases.load().filter_to_components
    for fact in cases {
      let components = try URLFilter(fact.filter, side: .block).components
      let dot = components.matchesSubdomains && !components.host.isEmpty ? "." : ""
      #expect(String(decoding: components.scheme, as: UTF8.self) == fact.scheme, "\(fact)")
      #expect(dot + String(decoding: components.host, as: UTF8.self) == fact.host, "\(fact)")
      #expect(components.matchesSubdomains == fact.match_subdomains, "\(fact)")
      #expect(components.port == fact.port, "\(fact)")
      #expect(String(decoding: components.path, as: UTF8.self) == fact.path, "\(fact)")
    }
    #expect(cases.count == 14)
  }

  @Test
  func embeddedPagesAreThoseOfChromium() throws {
    let cases = try URLFilterCases.load().embedded_url
    for fact in cases { #expect(EmbeddedURL.inside(record(fact.url)) == fact.embedded, "\(fact)") }
    #expect(cases.count == 34)
  }
}
