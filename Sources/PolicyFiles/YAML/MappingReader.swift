/// Reads a mapping key by key, and knows in the end which keys were never asked for.
///
///     init?(_ reader: inout MappingReader) {
///       let path = reader.required("path", .nonEmptyString)
///       let mode = reader.value("mode", .choice(of: Mode.self), default: .block)
///       let idle = reader.optional("idle", .duration(in: .seconds(1) ... .seconds(3_600)))
///       guard let path else { return nil }
///       (self.path, self.mode, self.idle) = (path, mode, idle)
///     }
///
/// Read every key first and give up afterwards, so that all problems of the mapping are told at once.
/// It is opened by `YAMLDecoder.mapping`, holds the diagnostics while it is open, and cannot be copied.
package struct MappingReader: ~Copyable {
  /// The start of the mapping; a missing key is reported here.
  package let location: SourceLocation
  /// Everything found so far, for additions that only the caller can make.
  package var diagnostics: Diagnostics

  private let mapping: YAMLMapping
  /// The keys that were asked for, in that order.
  private var known: [String] = []

  private init(_ mapping: YAMLMapping, at location: SourceLocation, _ diagnostics: Diagnostics) {
    self.mapping = mapping
    self.location = location
    self.diagnostics = diagnostics
  }

  static func read<Value>(
    _ mapping: YAMLMapping, at location: SourceLocation, into diagnostics: inout Diagnostics,
    _ body: (inout MappingReader) -> Value?
  ) -> Value? {
    var reader = MappingReader(mapping, at: location, diagnostics)
    // Releases the caller's reference; otherwise the first report would copy all earlier ones.
    diagnostics = Diagnostics()
    let value = body(&reader)
    reader.reportUnknownKeys()
    diagnostics = reader.diagnostics
    return value
  }

  /// The value of a key that has to be there; nil when it is missing or wrong, which has then been reported.
  package mutating func required<Value>(_ key: String, _ decoder: YAMLDecoder<Value>) -> Value? {
    guard let node = self[key] else {
      reportMissing("missing key \(key.quoted)", hint: "it takes \(decoder.expectation)")
      return nil
    }
    return decoder.decode(node, into: &diagnostics)
  }

  /// The value of a key that may be left out; nil when it is left out, and also when it is wrong and was reported.
  ///
  /// A key that is there without a value (`idle:`) is an error, not the same as no key: it may be half an edit.
  package mutating func optional<Value>(_ key: String, _ decoder: YAMLDecoder<Value>) -> Value? {
    self[key].flatMap { decoder.decode($0, into: &diagnostics) }
  }

  /// The value of a key, or `standard` when it is left out, and also when it is wrong and was reported.
  package mutating func value<Value>(
    _ key: String, _ decoder: YAMLDecoder<Value>, default standard: @autoclosure () -> Value
  ) -> Value {
    optional(key, decoder) ?? standard()
  }

  /// Whether the key is there, with any value. Asking makes it a known key.
  package mutating func has(_ key: String) -> Bool {
    self[key] != nil
  }

  /// The place of the key, or of the mapping without it.
  package func location(of key: String) -> SourceLocation {
    mapping.entries.first { $0.key == key }?.keyLocation ?? location
  }

  /// Takes every key for a known one: in a mapping of unknown kind no key is certainly wrong.
  package mutating func passOver() { known = mapping.entries.map(\.key) }

  /// The node of the key, which becomes a known one.
  private subscript(key: String) -> YAMLNode? {
    mutating get {
      if !known.contains(key) { known.append(key) }
      return mapping[key]
    }
  }
}

extension MappingReader {
  /// The one of `keys` that is there, when exactly one has to be; else nil, and reported.
  ///
  ///     switch reader.exactlyOne(of: ["internal", "external", "include"]) { ... }
  package mutating func exactlyOne(of keys: [String]) -> String? {
    let present = presentKeys(keys)
    if present.isEmpty {
      reportMissing("one of the keys \(keys.quotedList) is missing", hint: nil)
      return nil
    }
    return reportConflict(present) ? nil : present.first
  }

  /// The one of `keys` that is there, when at most one may be; nil when none is, and also for several, which is
  /// reported.
  package mutating func atMostOne(of keys: [String]) -> String? {
    let present = presentKeys(keys)
    return reportConflict(present) ? nil : present.first
  }

  /// Reports an error at a key, or at the mapping if the key is not there.
  package mutating func error(_ code: Diagnostic.Code, at key: String, _ message: String, hint: String? = nil) {
    diagnostics.error(code, at: location(of: key), message, hint: hint)
  }

  /// The `keys` that are there, in the order of the file.
  private mutating func presentKeys(_ keys: [String]) -> [String] {
    known.append(contentsOf: keys.filter { !known.contains($0) })
    return mapping.entries.map(\.key).filter(keys.contains)
  }

  private mutating func reportConflict(_ present: [String]) -> Bool {
    guard let first = present.first, present.count > 1 else { return false }
    for key in present.dropFirst() {
      error(
        .conflictingKeys, at: key, "\(key.quoted) may not stand beside \(first.quoted)", hint: "keep one of the two")
    }
    return true
  }

  private mutating func reportMissing(_ message: String, hint: String?) {
    guard mapping.isComplete else { return }
    diagnostics.error(.missingKey, at: location, message, hint: hint)
  }

  private mutating func reportUnknownKeys() {
    for entry in mapping.entries where !known.contains(entry.key) {
      diagnostics.error(
        .unknownKey, at: entry.keyLocation, "unknown key \(entry.key.quoted)",
        hint: Self.hint(for: entry.key, among: known))
    }
  }

  private static func hint(for key: String, among known: [String]) -> String {
    if let nearest = Suggestion.nearest(to: key, among: known) { return "did you mean \(nearest.quoted)?" }
    return known.isEmpty ? "no keys are known here" : "known keys: \(known.quotedList)"
  }
}

extension MappingReader {
  /// Puts the value of `key` into `target`, which keeps its own when the key is left out or wrong.
  ///
  ///     reader.read("policyRequired", .bool, into: &settings.policyRequired)
  mutating func read<Value>(_ key: String, _ decoder: YAMLDecoder<Value>, into target: inout Value) {
    if let value = optional(key, decoder) { target = value }
  }
}

extension YAMLDecoder {
  /// A mapping as `mapping(_:)` reads it, in which some keys are refused with a hint of their own.
  ///
  ///     .mapping(refusing: ["pattern": "`pattern` is not supported yet"]) { reader in ... }
  ///
  /// They stay unknown keys: no hint elsewhere offers them.
  static func mapping(refusing hints: [String: String], _ body: @escaping (inout MappingReader) -> Value?) -> Self {
    Self("a mapping") { node, diagnostics in
      guard let mapping = node.mapping else { return node.decode(.mapping(body), into: &diagnostics) }
      let refused = mapping.entries.filter { hints[$0.key] != nil }
      for entry in refused {
        diagnostics.error(
          .unknownKey, at: entry.keyLocation, "unknown key \(entry.key.quoted)", hint: hints[entry.key])
      }
      let rest = YAMLMapping(
        mapping.entries.filter { hints[$0.key] == nil }, isComplete: mapping.isComplete && refused.isEmpty)
      return YAMLNode(.mapping(rest), at: node.location).decode(.mapping(body), into: &diagnostics)
    }
  }

  /// A list that keeps the good items and reports the bad ones.
  ///
  /// For lists that are referred to: one bad rule must not make an error of every test that names another rule.
  static func goodItems<Item>(of item: YAMLDecoder<Item>) -> Self where Value == [Item] {
    Self("a list") { node, diagnostics in
      // An empty list is decoded for its message, when the node is no list.
      guard let nodes = node.sequence else { return node.decode(.list(of: item), into: &diagnostics) }
      return nodes.compactMap { item.decode($0, into: &diagnostics) }
    }
  }

  /// A mapping from names that the author chose; `placeholder` stands for an unreadable value, so that its name is
  /// known all the same.
  static func named<Item>(
    _ decoder: @escaping (Located<String>) -> YAMLDecoder<Item>, placeholder: @escaping (Located<String>) -> Item
  ) -> Self where Value == [Item] {
    .entries { name in
      YAMLDecoder<Item>("a mapping") { node, diagnostics in
        diagnostics.checkName(name)
        return decoder(name).decode(node, into: &diagnostics) ?? placeholder(name)
      }
    }
  }
}
