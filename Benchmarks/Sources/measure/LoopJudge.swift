internal import CPCRE2
internal import URLRules
internal import URLStandard

/// The peer of our text search: a plain loop over PCRE2 patterns, compiled to machine code, until the first one matches.
///
/// It reads the URL with our parser, as we do, and searches what we search: the difference is the search.
struct LoopJudge: Judge, ~Copyable {
  private var codes: [OpaquePointer] = []
  private let data = pcre2_match_data_create_8(1, nil)
  private var subject = URLSubject()

  init(patterns path: String) throws(MeasureError) {
    let patterns = try Corpus(path: path)
    for line in 0..<patterns.count {
      guard let code = Self.compile(patterns[line]) else { throw .invalidRules(path, patterns.text(line)) }
      codes.append(code)
    }
  }

  deinit {
    for code in codes { pcre2_code_free_8(code) }
    pcre2_match_data_free_8(data)
  }

  mutating func judge(_ url: Span<UInt8>) -> Int32 {
    subject.read(url)
    guard subject.kind == .url else { return Verdicts.invalid }
    return subject.judged.bytes.withUnsafeBufferPointer { bytes in
      for index in codes.indices
      where pcre2_jit_match_8(codes[index], bytes.baseAddress, bytes.count, 0, 0, data, nil) >= 0 {
        return Int32(truncatingIfNeeded: index)
      }
      return Verdicts.none
    }
  }

  private static func compile(_ pattern: Span<UInt8>) -> OpaquePointer? {
    var errorCode: Int32 = 0
    var errorOffset = 0
    let code = pattern.withUnsafeBufferPointer { bytes in
      pcre2_compile_8(bytes.baseAddress, bytes.count, 0, &errorCode, &errorOffset, nil)
    }
    guard let code else { return nil }
    return pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE)) == 0 ? code : nil
  }
}
