internal import CPCRE2
package import GuardModel

/// One compiled PCRE2 pattern, run by the interpreter only.
///
/// JIT needs writable code, which the daemon's sandbox forbids, and counts its match limit differently: a laptop and the
/// daemon would disagree. Subjects are serialised URLs, which are ASCII, so no UTF mode.
package final class Regex: Sendable {
  package let pattern: String
  // INVARIANT: written once in `init`, read-only while matching, freed in `deinit`; PCRE2 shares compiled code freely.
  nonisolated(unsafe) private let code: OpaquePointer
  /// The pattern as texts with anything between them, when it is nothing more.
  private let glob: GlobPattern?
  /// What every match holds; nil when nothing is certain, or when the pattern is nothing more than one text.
  let required: RequiredTexts?
  /// What a search may cost that PCRE2 does not count; nil when nothing.
  private let scan: RegexScan?
  /// The pattern has an automaton, unless it is too large.
  private let isRegular: Bool

  /// The longest pattern, in bytes. Whoever needs more wants a list.
  package static let maximumBytes = 16 * 1024
  /// The most that a compiled pattern may take; `((a{9}b){99}){99}` would take 300 KB where the build allows it.
  package static let maximumCompiledBytes = 64 * 1024

  /// Compiles `pattern`; throws where it is wrong, with the byte offset: in PCRE2's own words, or because its meaning
  /// is not the same in every release (`RefusedSyntax`).
  package init(_ pattern: String) throws(RegexError) {
    guard pattern.utf8.count <= Self.maximumBytes else { throw .tooLong }
    let shape = RegexShape(pattern)
    if let refusal = shape.refusal { throw refusal }
    let code = try Self.compile(pattern)
    self.code = code
    self.pattern = pattern
    glob = GlobPattern(shape)
    let required = RequiredTexts(shape)
    self.required = glob?.isOneText != true && required.count > 0 ? required : nil
    scan = RegexScan(shape)
    isRegular = RegexAutomaton.reads(shape)
    var size = 0
    let result = pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_SIZE), &size)
    guard result == 0, size <= Self.maximumCompiledBytes else { throw .tooLarge }
  }

  private static func compile(_ pattern: String) throws(RegexError) -> OpaquePointer {
    let context = pcre2_compile_context_create_8(nil)
    defer { pcre2_compile_context_free_8(context) }
    if let context {
      pcre2_set_parens_nest_limit_8(context, UInt32(RegexShape.maximumDepth))
      cpcre2_fix_lookbehinds(context)
    }
    var errorCode: Int32 = 0
    var errorOffset = 0
    let options = UInt32(PCRE2_NEVER_BACKSLASH_C) | UInt32(PCRE2_NEVER_UTF) | UInt32(PCRE2_NEVER_UCP)
    var copy = pattern
    let compiled = copy.withUTF8 { bytes in
      pcre2_compile_8(bytes.baseAddress, bytes.count, options, &errorCode, &errorOffset, context)
    }
    guard let compiled else { throw RegexError(code: errorCode, offset: errorOffset) }
    return compiled
  }

  deinit { pcre2_code_free_8(code) }

  /// Whether the pattern matches somewhere in `subject`; unknown when a limit is reached or the library fails.
  package func matches(_ subject: Span<UInt8>, _ runner: RegexRunner) -> Ternary {
    if let glob {
      guard runner.spend(subject.count, subjectBytes: subject.count) else { return .unknown }
      let isFound = glob.isFound(in: subject)
      if isFound != .unknown { return isFound }
    }
    if let required {
      guard runner.spend(required.count * subject.count, subjectBytes: subject.count) else { return .unknown }
      if required.areMissing(in: subject) { return .no }
    }
    return interpreted(subject, runner)
  }

  /// The same, not by comparing texts: what `matches` is held against where it does so.
  package func interpreted(_ subject: Span<UInt8>, _ runner: RegexRunner) -> Ternary {
    guard isRegular else { return runner.run(code, scan, subject) }
    return runner.runBriefly(code, scan, subject) ?? runner.run(self, subject) ?? runner.run(code, scan, subject)
  }

  /// What a rule with this pattern is filed under: the host that every match demands, else the pattern as a text to
  /// search for.
  ///
  ///     ^https://cdn[.]example/v1/    ->  host cdn.example, path from /v1/
  ///     /v[0-9]+/                     ->  text /v[0-9]+/
  package var keys: [IndexKey]? { [RegexShape(pattern).host ?? .text(pattern)] }

  /// The pattern as a text to search for; nil when no text is certain.
  var textKey: IndexKey? { RegexShape(pattern).literalChoices.isEmpty ? nil : .text(pattern) }
}

/// Where and why a pattern is wrong.
package struct RegexError: Error, Hashable, CustomStringConvertible {
  /// Byte offset in the pattern.
  package var offset: Int
  package var description: String
  /// What to write instead.
  package var hint: String?

  /// PCRE2's own words.
  fileprivate init(code: Int32, offset: Int) {
    self.offset = offset
    var text = [UInt8](repeating: 0, count: 256)
    let length = text.withUnsafeMutableBufferPointer { pcre2_get_error_message_8(code, $0.baseAddress, $0.count) }
    description = String(decoding: text.prefix(Int(max(0, length))), as: UTF8.self)
  }

  init(_ refused: RefusedSyntax, offset: Int) {
    self.offset = offset
    description = refused.message
    hint = refused.hint
  }

  private init(_ description: String, hint: String) {
    offset = 0
    self.description = description
    self.hint = hint
  }

  fileprivate static let tooLong = RegexError(
    "the pattern is longer than \(Regex.maximumBytes) bytes", hint: "write several rules, or a list")
  fileprivate static let tooLarge = RegexError(
    "the compiled pattern is larger than \(Regex.maximumCompiledBytes) bytes",
    hint: "write fewer or smaller repetitions: `{1,1000}` is a thousand copies")
}
