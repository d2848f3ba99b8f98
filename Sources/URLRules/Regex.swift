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
  /// The pattern as a text, when it is nothing more.
  private let text: PlainText?
  /// What every match holds; nil when nothing is certain, or when the pattern is nothing more than a text.
  let required: RequiredTexts?
  /// What a search may cost that PCRE2 does not count; nil when nothing.
  private let scan: RegexScan?

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
    text = PlainText(shape)
    let required = RequiredTexts(shape)
    self.required = text == nil && required.count > 0 ? required : nil
    scan = RegexScan(shape)
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
    if let text {
      guard runner.spend(subject.count, subjectBytes: subject.count) else { return .unknown }
      let isFound = text.isFound(in: subject)
      if isFound != .unknown { return isFound }
    }
    if let required {
      guard runner.spend(required.count * subject.count, subjectBytes: subject.count) else { return .unknown }
      if required.areMissing(in: subject) { return .no }
    }
    return interpreted(subject, runner)
  }

  /// The same, always by PCRE2: what `matches` is held against where it does without.
  package func interpreted(_ subject: Span<UInt8>, _ runner: RegexRunner) -> Ternary {
    runner.run(code, scan, subject)
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

/// Runs patterns within limits: one a thread, refilled for each decision.
///
/// PCRE2's match limit does not bound time (20,000 steps took 2.8 s on 18 KB), so the limit of one match shrinks with the
/// subject, and a decision has a budget in all. Each match runs first with a sixty-fourth of the limit, and again with
/// the whole only when that was too little; what is charged is therefore never less than what was used. What PCRE2 does
/// not count has a budget of its own, and is charged before it is done (``RegexScan``).
package final class RegexRunner {
  private let data: OpaquePointer?
  private let context: OpaquePointer?
  private var budget = 0
  /// Bytes that PCRE2 may look at without counting.
  private var scanBudget = 0
  /// The memory of searches, which come before matching.
  let scratch = TextScratch()
  /// What matching URL patterns needs besides.
  var positions = PositionSets()

  /// How many whole limits one decision may use.
  package static let limitsPerDecision = 64
  /// How many bytes one decision may look at uncounted: 80 ms at worst.
  private static let scanBytesPerDecision = 1 << 26
  /// In a text up to so long nothing uncounted takes long.
  private static let shortText = 256

  package init() {
    data = pcre2_match_data_create_8(1, nil)
    context = pcre2_match_context_create_8(nil)
    if let context {
      pcre2_set_heap_limit_8(context, 4096)
      pcre2_set_depth_limit_8(context, 10_000)
    }
  }

  deinit {
    pcre2_match_data_free_8(data)
    pcre2_match_context_free_8(context)
  }

  /// Gives the next decision its whole budget, for subjects of this many bytes.
  package func beginDecision(subjectBytes: Int) {
    budget = Self.limit(subjectBytes: subjectBytes) * Self.limitsPerDecision
    scanBudget = Self.scanBytesPerDecision
  }

  /// Steps one match may take: 15,625 up to 64 bytes, 15 at 64 KiB.
  package static func limit(subjectBytes: Int) -> Int { 1_000_000 / max(64, subjectBytes) }

  /// Whether any of the budget is left.
  var canSpend: Bool { budget > 0 }

  /// Takes work that is not PCRE2's from the budget: bytes looked at, of a subject of this many. False when the budget is
  /// spent: then the answer is unknown.
  package func spend(_ bytes: Int, subjectBytes: Int) -> Bool {
    let steps = 1 + bytes / max(64, subjectBytes)
    guard budget >= steps else {
      budget = 0
      return false
    }
    budget -= steps
    return true
  }

  fileprivate func run(_ code: OpaquePointer, _ scan: RegexScan?, _ subject: Span<UInt8>) -> Ternary {
    let whole = Self.limit(subjectBytes: subject.count)
    if let scan, subject.count > Self.shortText, !affords(scan, subject, whole) { return .unknown }
    let first = run(code, subject, limit: max(1, whole / 64))
    guard first == PCRE2_ERROR_MATCHLIMIT else { return Self.truth(first) }
    return Self.truth(run(code, subject, limit: whole))
  }

  private func affords(_ scan: RegexScan, _ subject: Span<UInt8>, _ limit: Int) -> Bool {
    let effort = scan.effort(textBytes: subject.count)
    guard scanBudget >= effort else { return false }
    scanBudget -= effort
    let cost = scan.cost(of: subject, limit: limit)
    guard scanBudget >= cost else { return false }
    scanBudget -= cost
    return true
  }

  private func run(_ code: OpaquePointer, _ subject: Span<UInt8>, limit: Int) -> Int32 {
    guard let data, let context, budget >= limit else { return PCRE2_ERROR_NOMEMORY }
    budget -= limit
    pcre2_set_match_limit_8(context, UInt32(limit))
    return subject.withUnsafeBufferPointer { bytes in
      pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, 0, data, context)
    }
  }

  private static func truth(_ result: Int32) -> Ternary {
    if result >= 0 { return .yes }
    return result == PCRE2_ERROR_NOMATCH ? .no : .unknown
  }
}
