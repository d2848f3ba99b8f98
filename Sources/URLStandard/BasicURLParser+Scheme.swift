// The states that decide the kind of URL: scheme start, scheme, no scheme, special authority slashes, special relative
// or authority, path or authority.
extension BasicURLParser {
  /// Reads the whole input.
  @_lifetime(self: copy self)
  mutating func parseURL() -> Bool {
    guard let colon = endOfScheme() else { return parseWithoutScheme() }
    writeScheme(endingAt: colon)
    position = colon + 1
    switch record.scheme {
    case .file: return parseFile()
    case .other: return parseAfterOtherScheme()
    case .http, .https, .ws, .wss, .ftp: return parseAfterSpecialScheme()
    }
  }

  /// The index of the colon that ends the scheme; nil when the input has none.
  private func endOfScheme() -> Int? {
    guard let first = next, first.isASCIIAlpha else { return nil }
    var index = 1
    while let byte = byte(at: index), ByteClass(of: byte).contains(.schemeTail) { index += 1 }
    return byte(at: index) == ASCII.colon ? index : nil
  }

  @_lifetime(self: copy self)
  private mutating func writeScheme(endingAt colon: Int) {
    for index in 0..<colon { record.bytes.append(input[index].asciiLowercased) }
    record.layout.scheme = URLScheme(record.bytes.span)
    endScheme()
  }

  /// Writes the colon after the scheme, and notes that nothing follows it yet.
  @_lifetime(self: copy self)
  mutating func endScheme() {
    record.layout.schemeEnd = record.end
    record.bytes.append(ASCII.colon)
    record.layout.usernameEnd = record.end
    record.layout.passwordEnd = record.end
    record.layout.hostStart = record.end
    record.layout.hostEnd = record.end
    beginPath()
  }

  // `https:/path` and `https:path` are relative when the base has the same scheme, and absolute otherwise.
  @_lifetime(self: copy self)
  private mutating func parseAfterSpecialScheme() -> Bool {
    let hasTwoSlashes = next == ASCII.slash && byte(at: position + 1) == ASCII.slash
    if !hasTwoSlashes, let base, base.scheme == record.scheme { return parseRelative(to: base) }
    skipSlashes()
    return parseAuthority()
  }

  @_lifetime(self: copy self)
  private mutating func parseAfterOtherScheme() -> Bool {
    guard next == ASCII.slash else { return parseOpaquePath() }
    position += 1
    guard next == ASCII.slash else { return parsePath() }
    position += 1
    return parseAuthority()
  }

  @_lifetime(self: copy self)
  private mutating func parseWithoutScheme() -> Bool {
    guard let base else { return false }
    if base.hasOpaquePath {
      guard next == ASCII.numberSign else { return false }
      inherit(base, upTo: base.layout.queryEnd)
      return parseFragment()
    }
    return base.scheme == .file ? parseFile() : parseRelative(to: base)
  }

  /// Skips any number of slashes and backslashes: after a special scheme they all mean `//`.
  @_lifetime(self: copy self)
  mutating func skipSlashes() {
    while isSlash(at: position) { position += 1 }
  }
}
