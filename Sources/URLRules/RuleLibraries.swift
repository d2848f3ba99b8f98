internal import CPCRE2
internal import CPSL

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
