internal import Bytes
package import URLStandard

/// A URL as rules see it: read as a browser reads it, unwrapped, and reduced to the parts that identify the page.
///
/// `view-source:`, `blob:` and `filesystem:` give way to the URL inside; `ws` and `wss` become `http` and `https`;
/// credentials, fragment and one trailing dot of the host are gone (architecture, section 5).
///
///     view-source:https://user@mail.contoso.com./x#top   ->   https://mail.contoso.com/x
///
/// Trap: `https://contoso.com@evil.example/` has the host `evil.example`; nothing here ever looks at raw text.
package struct URLSubject: Sendable {
  /// The kind of text that was read.
  package enum Kind: Sendable, Hashable {
    /// No text was given.
    case absent
    /// No browser opens it, or it is too long for one.
    case invalid
    /// `javascript:`, which moves no document.
    case script
    /// `about:blank`, `about:srcdoc`, `data:`, a `blob:` without origin: it belongs to the page that made it.
    case madeByPage
    /// A URL to match on: `judged`.
    case url
  }

  package private(set) var kind = Kind.absent
  /// The URL as it was read, with everything it holds.
  package private(set) var asRead = URLRecord()
  /// The reduced URL; meaningful when `kind` is `url`.
  package private(set) var judged = URLRecord()
  /// A user name or password was in the URL; such a URL is never internal by default (D-35).
  package private(set) var hadCredentials = false
  /// `judged` is the page that made it, so that `asRead` says nothing of `judged`.
  package private(set) var isJudgedAsCreator = false
  private var spare = URLRecord()
  private var parser = URLParser()

  package init() {}

  /// Whether `asRead` holds the URL that was read last.
  package var hasText: Bool { kind != .absent && asRead.isValid }

  /// A `view-source:` in a `view-source:` … deeper than this is no URL.
  package static let maximumNesting = 4

  package mutating func clear() {
    kind = .absent
    hadCredentials = false
  }

  /// Reads `text` and sets `kind`. Allocates nothing once the buffers have grown.
  package mutating func read(_ text: Span<UInt8>) {
    hadCredentials = false
    isJudgedAsCreator = false
    guard case .valid = parser.parse(text, into: &asRead) else {
      kind = .invalid
      return
    }
    judged.assign(asRead)
    kind = unwrap(levels: Self.maximumNesting)
    if kind == .url { reduce() }
  }

  package mutating func read(_ text: String) {
    let bytes = Array(text.utf8)
    read(bytes.span)
  }

  /// Judges this URL as the page that made it; without a known page it stays `madeByPage`, which is external.
  package mutating func judgeAs(_ creator: borrowing URLSubject) {
    guard creator.kind == .url else { return }
    kind = .url
    isJudgedAsCreator = true
    judged.assign(creator.judged)
    hadCredentials = creator.hadCredentials
  }

  private mutating func unwrap(levels: Int) -> Kind {
    for _ in 0...levels {
      if judged.isSpecial { return .url }
      switch Wrapper(judged) {
      case .none: return .url
      case .script: return .script
      case .madeByPage: return .madeByPage
      case .source: guard readInner() else { return .invalid }
      case .blob: guard readInner(), judged.scheme == .http || judged.scheme == .https else { return .madeByPage }
      }
    }
    return .invalid
  }

  /// Reads the text behind the scheme of `judged` into `judged`.
  private mutating func readInner() -> Bool {
    swap(&judged, &spare)
    return Self.readInner(of: spare, into: &judged, &parser)
  }

  private static func readInner(
    of outer: borrowing URLRecord, into inner: inout URLRecord, _ parser: inout URLParser
  ) -> Bool {
    let text = outer.bytes.span.extracting((outer.schemeRange.upperBound + 1)...)
    return parser.parse(text, into: &inner) == .valid
  }

  private mutating func reduce() {
    hadCredentials = hadCredentials || judged.hasCredentials
    if judged.hasCredentials { judged.removeCredentials() }
    if judged.fragmentRange != nil { judged.removeFragment() }
    judged.removeTrailingHostDot()
    switch judged.scheme {
    case .ws: _ = judged.replaceScheme(with: .http)
    case .wss: _ = judged.replaceScheme(with: .https)
    case .http, .https, .ftp, .file, .other: break
    }
  }
}

/// The schemes that stand around another URL, or for no URL at all.
private enum Wrapper {
  case none
  case script
  case madeByPage
  case source
  case blob

  init(_ record: borrowing URLRecord) {
    let scheme = record.schemeBytes
    let path = record.pathBytes
    if scheme.matches("javascript") {
      self = .script
    } else if scheme.matches("data") {
      self = .madeByPage
    } else if scheme.matches("about"), path.matches("blank") || path.matches("srcdoc") {
      self = .madeByPage
    } else if scheme.matches("view-source") {
      self = .source
    } else {
      self = scheme.matches("blob") || scheme.matches("filesystem") ? .blob : .none
    }
  }
}
