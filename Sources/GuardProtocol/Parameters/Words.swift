internal import GuardModel

/// The words of one enum of an interface file, and the values that they stand for.
struct Words<Word: Sendable>: Sendable {
  let names: [String]
  private let table: NameTable<Word>

  init(_ words: [(String, Word)]) {
    names = words.map(\.0)
    table = NameTable(words)
  }

  init(_ words: some Sequence<Word>, name: (Word) -> String) {
    self.init(words.map { (name($0), $0) })
  }

  subscript(name: Span<UInt8>) -> Word? { table[name] }
}

extension Words where Word: CaseIterable & RawRepresentable, Word.RawValue == String {
  init() { self.init(Word.allCases, name: \.rawValue) }
}

extension Words<Frame> {
  static let frame = Words(Frame.allCases, name: \.name)
}

extension Words<Ternary> {
  static let gesture = Words([("unknown", .unknown), ("no", .no), ("yes", .yes)])
}

extension Words<Selection> {
  static let selection = Words(Selection.allCases, name: \.name)
}

extension Words<Location> {
  static let location = Words(Location.allCases, name: \.name)
}

extension Words<Channel> {
  static let channel = Words(Channel.allCases, name: \.name)
}

extension Words<CaptureKind> {
  static let capture = Words(CaptureKind.allCases, name: \.name)
}

extension Words<Inspection> {
  static let inspection = Words(Inspection.allCases, name: \.name)
}

extension Words<Surface> {
  static let surface = Words(Surface.allCases, name: \.name)
}

extension Words<DataFate> {
  static let dataFate = Words()
}

extension Words<DataKeyUse> {
  static let dataKeyUse = Words()
}

extension Words<LabelStore> {
  static let labelStore = Words()
}

extension Words<RequestResult> {
  static let requestResult = Words()
}

extension Words<AccountSource> {
  static let accountSource = Words()
}

extension Words<EventKind> {
  /// The event kinds that a method asks about.
  static let eventKind = Words(GuardMethod.allCases.compactMap(\.event), name: \.name)
}

extension Words<Outcome> {
  static let outcome = Words(Outcome.allCases, name: \.name)
}

extension Words<SwitchResult> {
  static let switchResult = Words()
}

extension Words<Topic> {
  static let topic = Words()
}

extension Words<PlaceQuestion> {
  static let placeQuestion = Words()
}

extension Words<WebViewPolicy> {
  static let webViewPolicy = Words(WebViewPolicy.allCases, name: \.name)
}

extension Words<ViewerKind> {
  static let viewerKind = Words()
}

extension Words<IdentityTarget> {
  static let identityTarget = Words()
}

extension Words<ClassifySubject> {
  static let subject = Words()
}
