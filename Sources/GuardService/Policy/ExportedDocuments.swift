package import GuardModel
internal import PolicyFiles
internal import RuleExport

/// One document of static rules: whose, and for which engine.
package struct ExportKey: Sendable, Hashable {
  package var app: String
  /// Nil for the one rule set of all classes of the app.
  package var viewerClass: String?
  package var format: ExportFormat

  package init(app: String, viewerClass: String?, format: ExportFormat) {
    (self.app, self.viewerClass, self.format) = (app, viewerClass, format)
  }
}

/// The documents that were exported from the policy in force, and those that are wanted.
///
/// The policy alone decides how many there can be, and none is made more than a few times, so that a flood of requests has an
/// end. The attack: a policy of a million rules, and apps that want them in all formats; one document is made at a time, and all
/// together have a bound. An app of many classes takes neither the place nor the turn of another: the app that holds the most
/// gives way first, and of each app only a few documents wait.
package struct ExportedDocuments {
  /// A document, or the reason why there is none.
  package enum Document: Sendable {
    /// It waits, or is being made.
    case wanted
    case made(ExportedRules)
    /// The class has no rules of the policy's own.
    case none
    /// It alone would exceed the bound of all documents, or had to give way to others each time that it was made.
    case tooLarge
  }

  private var documents: [ExportKey: Document] = [:]
  /// When each document was read last, by the number of the call.
  private var uses: [ExportKey: UInt64] = [:]
  private var calls: UInt64 = 0
  /// How often each was made.
  private var makes: [ExportKey: Int] = [:]
  private var queue: [ExportKey] = []
  private var isMaking = false
  /// The policy that they are of.
  package private(set) var generation: UInt64 = 0
  private var bytes = 0
  private let maximumBytes: Int

  /// Bytes of all documents together. One of WebKit's largest, 150,000 rules, has some 20 MB.
  package static let maximumBytes = 64 << 20
  /// Documents of one app that may wait; a program that asks for a further one asks again.
  private static let maximumWaiting = 8
  /// Two apps that want more than there is room for would have each other's documents made without end.
  private static let maximumMakes = 4

  package init(maximumBytes: Int = maximumBytes) { self.maximumBytes = maximumBytes }

  /// Another policy is in force, or another moment of the same: nothing that was made still counts.
  package mutating func adopt(_ generation: UInt64) {
    guard generation != self.generation else { return }
    (documents, uses, makes, queue, bytes, self.generation) = ([:], [:], [:], [], 0, generation)
  }

  /// The document as it is now. The first who asks makes it wanted.
  package mutating func document(_ key: ExportKey) -> Document {
    calls += 1
    if let known = documents[key] {
      uses[key] = calls
      return known
    }
    guard makes[key, default: 0] < Self.maximumMakes else { return .tooLarge }
    guard queue.count(where: { $0.app == key.app }) < Self.maximumWaiting else { return .wanted }
    documents[key] = .wanted
    queue.append(key)
    return .wanted
  }

  /// The next document to make; nil while one is being made, and when none is wanted.
  package mutating func beginNext() -> ExportKey? {
    guard !isMaking, !queue.isEmpty else { return nil }
    isMaking = true
    return queue.removeFirst()
  }

  /// A document is made.
  ///
  /// - Parameters:
  ///   - made: nil when the class has no rules.
  ///   - generation: the policy that it was made of; another one may be in force by now.
  package mutating func finish(_ key: ExportKey, _ made: ExportedRules?, of generation: UInt64) {
    isMaking = false
    guard generation == self.generation else { return }
    guard let made else { return documents[key] = Document.none }
    guard made.bytes.count <= maximumBytes else { return documents[key] = .tooLarge }
    makes[key, default: 0] += 1
    makeRoom(for: made.bytes.count, of: key.app)
    calls += 1
    bytes += made.bytes.count
    (documents[key], uses[key]) = (.made(made), calls)
  }

  /// A document could not be made, since the machine allowed it no thread: whoever asks again has it tried again.
  package mutating func fail(_ key: ExportKey, of generation: UInt64) {
    isMaking = false
    if generation == self.generation { documents[key] = nil }
  }

  /// Forgets documents of the app that holds the most, those first that nobody read for the longest time. They are made
  /// again, the same to the byte, when somebody asks. What the app wants now counts as held.
  private mutating func makeRoom(for count: Int, of app: String) {
    while bytes + count > maximumBytes {
      var held: [String: Int] = [:]
      for (key, document) in documents where document.bytes > 0 { held[key.app, default: 0] += document.bytes }
      if let own = held[app] { held[app] = own + count }
      guard let most = held.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key,
        let oldest = documents.filter({ $0.key.app == most && $0.value.bytes > 0 })
          .min(by: { uses[$0.key, default: 0] < uses[$1.key, default: 0] })
      else { return }
      bytes -= oldest.value.bytes
      (documents[oldest.key], uses[oldest.key]) = (nil, nil)
    }
  }
}

/// One document of static rules.
package struct ExportedRules: Sendable {
  package let bytes: [UInt8]
  /// Rules that it does not state exactly.
  package let gaps: Int

  package init(bytes: [UInt8], gaps: Int) { (self.bytes, self.gaps) = (bytes, gaps) }

  /// Exports the rules of a policy as they are at a time (seconds since 1970); nil when the class has none. Takes seconds for
  /// a million rules: not for the event loop.
  init?(_ policy: LoadedPolicy, _ key: ExportKey, at time: Int64) {
    let choice = ExportChoice(app: key.app, viewerClass: key.viewerClass)
    guard let source = try? ExportSource(policy, choice, at: time) else { return nil }
    let export = Export(source, as: key.format)
    self.init(bytes: export.document, gaps: export.notes.count(where: \.code.isGap))
  }

  /// Most bytes of one reply: what the event loop copies at once.
  package static let partBytes = 1 << 16

  /// The text from an offset on, as long as a reply may be; empty at the end and behind it.
  ///
  /// An offset may be of a document of the policy before, of which the reader learns by the generation: one within a
  /// character begins with that.
  package func part(at offset: Int) -> String {
    var start = min(offset, bytes.count)
    while isInside(start) { start -= 1 }
    var end = min(start + Self.partBytes, bytes.count)
    while isInside(end) { end -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// A byte that continues a character (UTF-8).
  private func isInside(_ offset: Int) -> Bool { offset < bytes.count && bytes[offset] & 0xC0 == 0x80 }
}

extension ExportedDocuments.Document {
  fileprivate var bytes: Int { if case .made(let rules) = self { rules.bytes.count } else { 0 } }
}
