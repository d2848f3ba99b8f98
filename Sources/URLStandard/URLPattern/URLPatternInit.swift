/// The dictionary form of a pattern, or of an input to one. A nil component is not given.
///
///     URLPatternInit(hostname: "*.example.com", pathname: "/docs/*")     // any scheme, any query
///
/// Trap: a component that a pattern does not give matches anything; the empty string matches only an absent component.
///
/// Source: URL Pattern Standard, section 1.2.
package struct URLPatternInit: Sendable, Hashable {
  private var texts: [URLComponent: String] = [:]
  /// Source of the components that are less specific than all given ones.
  package var baseURL: String?

  package init(
    protocol: String? = nil, username: String? = nil, password: String? = nil, hostname: String? = nil,
    port: String? = nil, pathname: String? = nil, search: String? = nil, hash: String? = nil, baseURL: String? = nil
  ) {
    self.baseURL = baseURL
    self[.protocol] = `protocol`
    self[.username] = username
    self[.password] = password
    self[.hostname] = hostname
    self[.port] = port
    self[.pathname] = pathname
    self[.search] = search
    self[.hash] = hash
  }

  package subscript(component: URLComponent) -> String? {
    get { texts[component] }
    set { texts[component] = newValue }
  }
}

extension URLPatternInit {
  /// Components from the least specific to the most; one is inherited only when neither it nor any before it is given.
  private static let specificity: [URLComponent] = [.protocol, .hostname, .port, .pathname, .search, .hash]

  /// The base's components for a pattern or, with user name and password, for an input.
  func inherited(from base: URLRecord, forPattern: Bool) -> [URLComponent: String] {
    var texts: [URLComponent: String] = [:]
    for component in Self.specificity {
      guard self[component] == nil else { break }
      texts[component] = base.text(base.range(of: component))
    }
    guard !forPattern, says(none: [.protocol, .hostname, .port, .username]) else { return texts }
    texts[.username] = base.username
    if self[.password] == nil { texts[.password] = base.password }
    return texts
  }

  private func says(none components: [URLComponent]) -> Bool { components.allSatisfy { self[$0] == nil } }

  /// The record of `baseURL`; nil when there is none.
  func base() throws(URLPatternError) -> URLRecord? {
    guard let baseURL else { return nil }
    guard let record = URLRecord(baseURL) else { throw URLPatternError("the base `\(baseURL)` is not a URL") }
    return record
  }
}

// Source: URL Pattern Standard, section 3.2.
extension URLPatternSyntax {
  /// The components of a pattern, those of its base included. `places` says where the author wrote them.
  static func process(
    _ parts: URLPatternInit, places: [URLComponent: ShiftedText]
  ) throws(URLPatternError) -> [URLComponent: ShiftedText] {
    let base = try parts.base()
    var texts: [URLComponent: ShiftedText] = [:]
    if let base {
      for (component, text) in parts.inherited(from: base, forPattern: true) {
        texts[component] = ShiftedText(text: escaped(text))
      }
    }
    for component in URLComponent.allCases {
      guard let text = parts[component] else { continue }
      texts[component] = stripped(ShiftedText(text: text, shift: places[component]?.shift ?? 0), component)
    }
    if let base, let path = texts[.pathname], parts[.pathname] != nil {
      texts[.pathname] = resolved(path, base: base)
    }
    return texts
  }

  /// The text without the mark that a component is often written with: `https:`, `?q`, `#top`.
  private static func stripped(_ text: ShiftedText, _ component: URLComponent) -> ShiftedText {
    switch component {
    case .protocol where text.text.utf8.last == ASCII.colon:
      ShiftedText(text: String(decoding: text.text.utf8.dropLast(), as: UTF8.self), shift: text.shift)
    case .search where text.text.utf8.first == ASCII.questionMark, .hash where text.text.utf8.first == ASCII.numberSign:
      ShiftedText(text: String(decoding: text.text.utf8.dropFirst(), as: UTF8.self), shift: text.shift + 1)
    default: text
    }
  }

  /// A relative pathname behind the last slash of the base's.
  private static func resolved(_ path: ShiftedText, base: URLRecord) -> ShiftedText {
    let isAbsolute = ["/", "\\/", "{/"].contains { path.text.utf8.starts(with: $0.utf8) }
    guard !isAbsolute, !base.hasOpaquePath, let folder = escaped(base.pathname).folder else { return path }
    return ShiftedText(text: folder + path.text, shift: path.shift - folder.utf8.count)
  }

  private static func escaped(_ text: String) -> String {
    var output: [UInt8] = []
    output.append(escapingPattern: Array(text.utf8))
    return String(decoding: output, as: UTF8.self)
  }
}

extension URLPatternInit {
  /// The eight components of an input, as they stand in a URL, in the order of ``URLComponent``.
  ///
  /// Throws where one of them can stand in no URL: such an input matches no pattern.
  package func componentsOfInput() throws(URLPatternError) -> [[UInt8]] {
    let base = try base()
    var texts = base.map { inherited(from: $0, forPattern: false) } ?? [:]
    var output: [[UInt8]] = []
    for component in URLComponent.allCases {
      guard var text = self[component] else {
        output.append(Array((texts[component] ?? "").utf8))
        continue
      }
      if component == .pathname, let base { text = resolved(text, base: base) }
      let encoding = encoding(component, scheme: texts[.protocol] ?? "")
      guard let bytes = encoding.encode(Self.stripped(text, component)) else {
        throw URLPatternError("`\(text)` is not \(encoding.noun)", component: component)
      }
      texts[component] = String(decoding: bytes, as: UTF8.self)
      output.append(bytes)
    }
    return output
  }

  private func resolved(_ path: String, base: URLRecord) -> String {
    guard path.utf8.first != ASCII.slash, !base.hasOpaquePath, let folder = base.pathname.folder else { return path }
    return folder + path
  }

  private static func stripped(_ text: String, _ component: URLComponent) -> String {
    switch component {
    case .protocol where text.utf8.last == ASCII.colon: String(decoding: text.utf8.dropLast(), as: UTF8.self)
    case .search where text.utf8.first == ASCII.questionMark, .hash where text.utf8.first == ASCII.numberSign:
      String(decoding: text.utf8.dropFirst(), as: UTF8.self)
    default: text
    }
  }

  private func encoding(_ component: URLComponent, scheme: String) -> ComponentEncoding {
    let bytes = Array(scheme.utf8)
    let special = URLScheme(bytes.span)
    switch component {
    case .protocol: return .protocol
    case .username, .password: return .userinfo
    case .hostname: return .hostname
    case .port: return .port(of: special)
    case .pathname: return special.isSpecial || scheme.isEmpty ? .pathname : .opaquePathname
    case .search: return .search
    case .hash: return .hash
    }
  }
}

extension String {
  /// Everything up to the last slash; nil when there is none.
  fileprivate var folder: String? { lastIndex(of: "/").map { String(self[...$0]) } }
}
