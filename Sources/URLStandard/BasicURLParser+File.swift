// The file states, with their Windows drive letters: file, file slash, file host.
extension BasicURLParser {
  @_lifetime(self: copy self)
  mutating func parseFile() -> Bool {
    beginFile()
    let base = base.flatMap { $0.scheme == .file ? $0 : nil }
    guard isSlash(at: position) else {
      guard let base else { return parsePath() }
      inheritAuthority(of: base)
      return parseRelativePath(to: base)
    }
    position += 1
    if isSlash(at: position) {
      position += 1
      return parseFileHost()
    }
    if let base { inheritDrive(of: base) }
    return parsePath()
  }

  @_lifetime(self: copy self)
  private mutating func beginFile() {
    record.reset()
    record.bytes.append("file")
    record.layout.scheme = .file
    endScheme()
    beginAuthority()
    beginPath()
  }

  /// Takes over the host of `base`, and its drive letter unless the input names one itself.
  @_lifetime(self: copy self)
  private mutating func inheritDrive(of base: URLRecord) {
    inheritAuthority(of: base)
    guard !startsWithDriveLetter(at: position) else { return }
    let path = base.pathBytes
    guard path.beginsWithDrive else { return }
    record.bytes.append(copying: path.extracting(0..<3))
  }

  @_lifetime(self: copy self)
  private mutating func parseFileHost() -> Bool {
    let host = position..<endOfSegment(from: position)
    // A drive letter is no host but the path's first segment, which is read again from its start.
    if isDriveLetter(host) { return parsePath() }
    position = host.upperBound
    if host.isEmpty { return parsePathStart() }
    guard parseHost(host) else { return false }
    if record.hostBytes.equals("localhost") {
      record.bytes.truncate(to: Int(record.layout.hostStart))
      record.layout.hostEnd = record.end
      record.layout.hostKind = .empty
    }
    beginPath()
    return parsePathStart()
  }
}

extension Span<UInt8> {
  /// True for a path whose first segment is a normalised Windows drive letter: `/C:` or `/C:/…`.
  var beginsWithDrive: Bool {
    guard count >= 3, self[1].isASCIIAlpha, self[2] == ASCII.colon else { return false }
    return count == 3 || self[3] == ASCII.slash
  }
}
