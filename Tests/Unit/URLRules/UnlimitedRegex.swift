import CPCRE2
import GuardModel

/// A pattern run by PCRE2 without the limits of decisions: what the answers of `Regex` are held against.
final class UnlimitedRegex {
  private let code: OpaquePointer
  private let data: OpaquePointer
  private let context: OpaquePointer

  /// Nil for what is no pattern.
  init?(_ pattern: String, steps: UInt32 = 100_000_000) {
    var (error, offset): (Int32, Int) = (0, 0)
    let compiling = pcre2_compile_context_create_8(nil)
    defer { pcre2_compile_context_free_8(compiling) }
    if let compiling { cpcre2_fix_lookbehinds(compiling) }
    let code = Array(pattern.utf8).withUnsafeBufferPointer {
      pcre2_compile_8($0.baseAddress, $0.count, 0, &error, &offset, compiling)
    }
    guard let code, let data = pcre2_match_data_create_8(1, nil), let context = pcre2_match_context_create_8(nil) else {
      return nil
    }
    pcre2_set_match_limit_8(context, steps)
    // Where it is not available the interpreter says the same, ten times slower.
    _ = pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
    (self.code, self.data, self.context) = (code, data, context)
  }

  deinit {
    pcre2_match_context_free_8(context)
    pcre2_match_data_free_8(data)
    pcre2_code_free_8(code)
  }

  /// Unknown only where even these limits do not suffice.
  func matches(_ subject: [UInt8]) -> Ternary {
    let result = subject.withUnsafeBufferPointer {
      pcre2_match_8(code, $0.baseAddress, $0.count, 0, 0, data, context)
    }
    if result >= 0 { return .yes }
    return result == PCRE2_ERROR_NOMATCH ? .no : .unknown
  }
}
