private import Foundation

/// The facts of Chromium's own tests of URL filters, restated as data.
///
/// Source: `chromium/url_blocklist_cases.json` of the shared data, which names the commits.
package struct URLFilterCases: Decodable, Sendable {
  /// One filter, one URL.
  package struct Single: Decodable, Sendable {
    package var filter: String
    package var url: String
    package var match: Bool
    package var superseded: Bool?
  }

  package struct AnyOf: Decodable, Sendable {
    package var filters: [String]
    package var url: String
    package var match: Bool
  }

  package struct BlockAllow: Decodable, Sendable {
    package var group: String
    package var block: [String]
    package var allow: [String]
    package var url: String
    package var blocked: Bool
  }

  package struct OfState: Decodable, Sendable {
    package var list: String
    package var pattern: String
    package var url: String
    package var state: String
  }

  package struct Components: Decodable, Sendable {
    package var filter: String
    package var scheme: String
    package var host: String
    package var match_subdomains: Bool
    package var port: UInt16
    package var path: String
  }

  package struct Embedded: Decodable, Sendable {
    package var url: String
    package var embedded: String?
  }

  package struct Limits: Decodable, Sendable {
    package var max_filters_per_policy: Int
  }

  package var single_filter: [Single]
  package var any_of_filters: [AnyOf]
  package var block_allow: [BlockAllow]
  package var states: [OfState]
  package var filter_to_components: [Components]
  package var embedded_url: [Embedded]
  package var limits: Limits

  /// Reads the file.
  package static func load() throws -> URLFilterCases {
    let data = Data(try SharedData.bytes("chromium/url_blocklist_cases.json"))
    return try JSONDecoder().decode(URLFilterCases.self, from: data)
  }
}
