internal import GuardModel

extension Event {
  /// The members of an event, which stand beside `event` in the wire's own words. Only those are known that bear on its
  /// kind.
  init(_ kind: EventKind, _ reader: inout MappingReader) {
    self.init(kind)
    read("viewer", \.viewer, &reader)
    read("action", \.action, &reader)
    switch kind {
    case .navigate: readNavigation(&reader)
    case .openURL: readURL(&reader)
    case .copy, .paste, .clipboardChanged, .dragEnd: readClipboard(&reader)
    case .download, .upload:
      readURL(&reader)
      readPlace(&reader)
    case .save, .open:
      read("url", \.url, &reader)
      readPlace(&reader)
      reader.read("chooser", .bool, into: &isChooser)
      reader.read("inPlace", .bool, into: &isInPlace)
    case .receive, .share:
      readProgram(&reader)
      reader.read("chooser", .bool, into: &isChooser)
    case .exchange:
      readProgram(&reader)
      reader.read("channel", .word(Channel.allCases.map { ($0.name, $0) }), into: &channel)
    case .capture: reader.read("capture", .word(CaptureKind.allCases.map { ($0.name, $0) }), into: &capture)
    // Printing into a file also saves there.
    case .print: readPlace(&reader)
    case .notify, .index, .unknown: break
    }
  }

  private mutating func readURL(_ reader: inout MappingReader) {
    read("url", \.url, &reader)
    read("from", \.from, &reader)
  }

  private mutating func readNavigation(_ reader: inout MappingReader) {
    readURL(&reader)
    read("method", \.method, &reader)
    reader.read("frame", .word(Frame.allCases.map { ($0.name, $0) }), into: &frame)
    hop = reader.optional("hop", .bool).map(Ternary.init) ?? .unknown
    reader.read("gesture", .word([("unknown", .unknown), ("no", .no), ("yes", .yes)]), into: &gesture)
    reader.read("sameDocument", .bool, into: &isSameDocument)
    reader.read("newWindow", .bool, into: &opensWindow)
  }

  private mutating func readClipboard(_ reader: inout MappingReader) {
    read("display", \.display, &reader)
    if kind == .paste || kind == .copy { read("from", \.from, &reader) }
    guard kind != .dragEnd else { return }
    reader.read("selection", .word(Selection.allCases.map { ($0.name, $0) }), into: &selection)
    length = reader.optional("length", .int(in: 0...Int.max))
    if let types = reader.optional("formats", .list(of: .nonEmptyString)) { keep(formats: types) }
    if kind != .clipboardChanged {
      reader.read("surface", .word(Surface.allCases.map { ($0.name, $0) }), into: &surface)
    }
    switch kind {
    case .copy:
      reader.read("cut", .bool, into: &isCut)
      reader.read("inspection", .word(Inspection.allCases.map { ($0.name, $0) }), into: &inspection)
    case .clipboardChanged:
      selfOwned = reader.optional("selfOwned", .bool).map(Ternary.init) ?? .unknown
      proposal = reader.optional("proposal", .string).flatMap { ProposalID($0) }
      readClip(&reader)
    default: readClip(&reader)
    }
  }

  /// A text that is no id of ours counts as an unknown clip.
  private mutating func readClip(_ reader: inout MappingReader) {
    clip = reader.optional("clip", .string).map { ClipID($0).map(ClipClaim.id) ?? .unreadable } ?? .none
  }

  private mutating func readPlace(_ reader: inout MappingReader) {
    read("owner", \.owner, &reader)
    read("locationAccount", \.locationAccount, &reader)
    read("path", \.path, &reader)
    reader.read("location", .word(Location.allCases.map { ($0.name, $0) }), into: &location)
  }

  private mutating func readProgram(_ reader: inout MappingReader) {
    read("owner", \.owner, &reader)
    read("peer", \.peer, &reader)
    read("peerAccount", \.peerAccount, &reader)
  }

  private mutating func read(
    _ key: String, _ slot: WritableKeyPath<Event, TextSlot?>, _ reader: inout MappingReader
  ) {
    if let text = reader.optional(key, .string) { self[keyPath: slot] = append(text) }
  }

  /// MIME types compare without case (RFC 2045, 5.1).
  private mutating func keep(formats types: [String]) {
    formats = types.isEmpty ? nil : append(types.joined(separator: ","))
    offersPlainText = types.contains { type in
      type.prefix { $0 != ";" && $0 != " " && $0 != "\t" }.lowercased() == "text/plain"
    }
  }
}
