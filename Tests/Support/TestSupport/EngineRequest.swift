package import URLStandard

/// A request as a browser engine sees it, for the slow and obvious readings of what the program exports.
package struct EngineRequest: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case page
    case frame
    case image
    case socket
  }

  package let kind: Kind
  /// With everything it holds.
  package let url: URLRecord

  package init(_ kind: Kind, _ url: URLRecord) {
    self.kind = kind
    self.url = url
  }

  /// Without a dot behind it.
  package var host: String {
    url.hostname.hasSuffix(".") ? String(url.hostname.dropLast()) : url.hostname
  }
}

/// What an engine makes of a document of rules.
package protocol EngineModel {
  init(_ document: [UInt8]) throws
  func blocks(_ request: EngineRequest) -> Bool
}

/// A document that no engine would read.
package struct EngineModelError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
