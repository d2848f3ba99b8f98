// The states that take something from the base: relative, relative slash; and what the file states share with them.
extension BasicURLParser {
  /// Reads a reference as seen from `base`, which has no opaque path and is not a file URL.
  @_lifetime(self: copy self)
  mutating func parseRelative(to base: URLRecord) -> Bool {
    inheritAuthority(of: base)
    guard isSlash(at: position) else { return parseRelativePath(to: base) }
    position += 1
    guard isSlash(at: position) else { return parsePath() }
    inherit(base, upTo: base.layout.schemeEnd)
    endScheme()
    if record.isSpecial { skipSlashes() } else { position += 1 }
    return parseAuthority()
  }

  /// Reads a reference that does not begin with a slash; the authority has been inherited.
  @_lifetime(self: copy self)
  mutating func parseRelativePath(to base: URLRecord) -> Bool {
    record.bytes.append(copying: base.pathBytes)
    switch next {
    case nil, ASCII.numberSign:
      endPath()
      record.bytes.append(copying: base.bytes.span.extracting(Int(base.layout.pathEnd)..<Int(base.layout.queryEnd)))
      record.layout.queryEnd = record.end
      return parseFragment()
    case ASCII.questionMark:
      endPath()
      return parseQuery()
    default:
      if record.scheme == .file, startsWithDriveLetter(at: position) {
        record.bytes.truncate(to: Int(record.layout.pathStart))
      } else {
        shortenPath()
      }
      return parsePath()
    }
  }

  /// Takes over scheme, credentials, host and port of `base`.
  @_lifetime(self: copy self)
  mutating func inheritAuthority(of base: URLRecord) {
    inherit(base, upTo: base.authorityEnd)
    beginPath()
  }

  /// Makes the record a copy of the first `end` bytes of `base`. The caller sets the offsets beyond.
  @_lifetime(self: copy self)
  mutating func inherit(_ base: URLRecord, upTo end: UInt32) {
    record.bytes.removeAll(keepingCapacity: true)
    record.bytes.append(copying: base.bytes.span.extracting(0..<Int(end)))
    record.layout = base.layout
  }
}
