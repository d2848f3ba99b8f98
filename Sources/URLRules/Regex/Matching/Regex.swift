internal import CPCRE2
internal import CPSL
package import GuardModel

/// One compiled PCRE2 pattern, run by the interpreter only.
///
/// A pattern goes through the folders beside this one: `Reading` splits it into pieces and refuses syntax,
/// `Translating` makes a PCRE2 pattern of one of the web, `Searching` looks for its literals in a text first, and here
/// PCRE2 matches, or an automaton where PCRE2 would not finish.
///
/// JIT needs writable code, which the daemon's sandbox forbids, and counts its match limit differently: a laptop and
/// the daemon would disagree. Subjects are serialised URLs, which are ASCII, so no UTF mode.
package final class Regex: Sendable {
  package let pattern: String
  // INVARIANT: written once in `init`, read-only while matching, freed in `deinit`; PCRE2 shares compiled code freely.
  nonisolated(unsafe) private let code: OpaquePointer
  /// The pattern as texts with anything between them, when it is nothing more.
  private let glob: GlobPattern?
  /// Texts that every match holds; nil when none is certain, or when the pattern is nothing more than one text.
  let required: RequiredTexts?
  /// Search cost that PCRE2 does not count; nil when there is none.
  private let scan: RegexScan?
  /// The pattern has an automaton, unless it is too large.
  private let isRegular: Bool

  /// The longest pattern, in bytes. A list serves longer ones better.
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

  /// The same without comparing texts: a check on `matches`, which compares texts where it can.
  package func interpreted(_ subject: Span<UInt8>, _ runner: RegexRunner) -> Ternary {
    guard isRegular else { return runner.run(code, scan, subject) }
    return runner.runBriefly(code, scan, subject) ?? runner.run(self, subject) ?? runner.run(code, scan, subject)
  }

  /// Filing keys of a rule with this pattern: the host that every match demands, else the pattern as a text to search
  /// for.
  ///
  ///     ^https://cdn[.]example/v1/    ->  host cdn.example, path from /v1/
  ///     /v[0-9]+/                     ->  text /v[0-9]+/
  package var keys: [IndexKey]? { [RegexShape(pattern).host ?? .text(pattern)] }

  /// The pattern as a text to search for; nil when no text is certain.
  var textKey: IndexKey? { RegexShape(pattern).literalChoices.isEmpty ? nil : .text(pattern) }
}

/// Place and cause of an error in a pattern.
package struct RegexError: Error, Hashable, CustomStringConvertible {
  /// Byte offset in the pattern.
  package var offset: Int
  package var description: String
  /// A suggestion for the author.
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

/// A pattern of texts with anything between them: it is found by comparing bytes, at a tenth of PCRE2's cost.
///
///     (?i)/ads/banner[.]js       found in https://x.example/ADS/banner.js
///     ^http.*://.*[?]            found in https://x.example/?a=1
///     /ads/[0-9]                 none: a digit is no text
///
/// Filter lists consist of such patterns. `.` is any byte at all: a judged URL has no line ends.
package struct GlobPattern: Sendable {
  private struct Piece: Sendable {
    /// Range of its text among the bytes of all.
    var range: Range<Int>
    /// Minimum number of bytes between the piece before and this one.
    var gap: Int
    /// It may stand further on.
    var floats: Bool
  }

  /// The texts one behind the other; of letters in any case the small ones.
  private var bytes: [UInt8] = []
  /// For each byte the bits set in the text's byte before it is compared: 0x20 where the case does not matter.
  private var folds: [UInt8] = []
  private var pieces: [Piece] = []
  /// Minimum number of bytes behind the last piece.
  private var tail = 0
  /// The text ends there.
  private var isAtEnd = false

  /// Nil when the pattern is anything more, or is not understood in full.
  package init?(_ shape: RegexShape) {
    guard var items = shape.sequence?.filter({ $0.node != .option })[...], !shape.givesNothingBack else { return nil }
    var next = Piece(range: 0..<0, gap: 0, floats: items.first?.node != .start)
    if !next.floats { items.removeFirst() }
    if items.last?.node == .end {
      isAtEnd = true
      items.removeLast()
    }
    for item in items {
      if let byte = item.literalWithoutCase {
        bytes.append(byte)
        folds.append(item.literal == nil ? 0x20 : 0)
      } else if item.node == .bytes(.all), item.times.most == nil {
        end(&next)
        next.gap += item.times.least
        next.floats = true
      } else {
        return nil
      }
    }
    end(&next)
    guard !pieces.isEmpty else { return nil }
    tail = next.gap
    isAtEnd = isAtEnd && !next.floats
  }

  /// Ends the piece that is being read, if there is anything in it.
  private mutating func end(_ piece: inout Piece) {
    guard piece.range.lowerBound < bytes.count else { return }
    piece.range = piece.range.lowerBound..<bytes.count
    pieces.append(piece)
    piece = Piece(range: bytes.count..<bytes.count, gap: 0, floats: false)
  }

  /// It is one text, wherever that stands.
  var isOneText: Bool { pieces.count == 1 }

  /// Maximum number of bytes compared for each byte of the subject.
  private static let effort = 8

  /// Whether it is somewhere in `subject`; unknown when that takes more comparisons than there are bytes, several times
  /// over, as for `aaaaaaaaab` in a long row of `a`.
  package func isFound(in subject: Span<UInt8>) -> Ternary {
    let pieces = pieces.span
    var left = Self.effort * subject.count
    var place = 0
    for index in pieces.indices {
      let piece = pieces[index]
      place += piece.gap
      let last = subject.count - piece.range.count
      guard place <= last else { return .no }
      let atEnd = isAtEnd && index == pieces.count - 1
      if atEnd, !piece.floats, place < last { return .no }
      let found = find(piece.range, in: subject, from: atEnd ? last : place, to: piece.floats ? last : place, &left)
      guard left >= 0 else { return .unknown }
      guard let found else { return .no }
      place = found + piece.range.count
    }
    return Ternary(place + tail <= subject.count)
  }

  /// The first place in a range where a text stands.
  private func find(
    _ text: Range<Int>, in subject: Span<UInt8>, from first: Int, to last: Int, _ left: inout Int
  ) -> Int? {
    let bytes = bytes.span.extracting(text)
    let folds = folds.span.extracting(text)
    var start = first
    while start <= last {
      if subject[start] | folds[0] == bytes[0] {
        var length = 1
        while length < bytes.count, subject[start + length] | folds[length] == bytes[length] { length += 1 }
        if length == bytes.count { return start }
        left -= length
        if left < 0 { return nil }
      }
      start += 1
    }
    return nil
  }
}

/// Versions of the libraries that match rules here, and the age of their data.
package enum RuleLibraries {
  /// PCRE2's version and date, such as `10.42 2022-12-11`.
  package static var regexVersion: String {
    var text = [UInt8](repeating: 0, count: 64)
    let length = pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), &text)
    return String(decoding: text.prefix(Int(max(0, length - 1))), as: UTF8.self)
  }

  /// Whether PCRE2 was built to read UTF-8: without it no pattern loads.
  package static var regexKnowsUnicode: Bool {
    var answer: UInt32 = 0
    return pcre2_config_8(UInt32(PCRE2_CONFIG_UNICODE), &answer) >= 0 && answer == 1
  }

  /// libpsl's version, such as `0.21.2`.
  package static var suffixVersion: String { psl_get_version().map { String(cString: $0) } ?? "unknown" }

  /// The list of public suffixes that the distribution keeps fresh; nil when libpsl knows of none.
  package static var suffixListFile: String? {
    psl_dist_filename().map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// When the list that libpsl itself carries was made, in seconds since 1970; 0 when it carries none.
  package static var builtInSuffixListTime: Int64 { Int64(psl_builtin_file_time()) }
}
