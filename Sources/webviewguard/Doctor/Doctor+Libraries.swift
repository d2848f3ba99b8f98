internal import GuardModel
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// The libraries that this program runs with, which are those of the daemon when it is the same program.
extension Doctor {
  var libraryFindings: [Finding] {
    let area = "libraries"
    let versions = [
      "ICU \(UnicodeLibrary.version) with Unicode \(UnicodeLibrary.unicodeVersion)",
      "PCRE2 \(RuleLibraries.regexVersion)", "libpsl \(RuleLibraries.suffixVersion)",
      "simdjson \(JSONLibrary.version) (\(JSONLibrary.implementation))", "SQLite \(StateInspection.libraryVersion)",
      "libyaml \(FileLibraries.yamlVersion)", "zlib \(FileLibraries.zlibVersion)",
    ]
    return [.ok(area, versions.joined(separator: ", ")), regexFinding(area), versionFinding(area)].compactMap(\.self)
      + [
        suffixFinding(area)
      ]
  }

  private func regexFinding(_ area: String) -> Finding? {
    guard !RuleLibraries.regexKnowsUnicode else { return nil }
    return .problem(
      area, "PCRE2 was built without Unicode: no rule with a `regex` loads",
      "install the distribution's own libpcre2-8-0")
  }

  private func versionFinding(_ area: String) -> Finding? {
    guard let version = status?["version"]?.string, version != DaemonOptions.version else { return nil }
    return .warning(
      area, "the daemon that runs is version \(version), and this program is \(DaemonOptions.version)",
      "restart the daemon: `systemctl restart webviewguard`")
  }

  /// Without a list of today, a new public suffix passes for one organisation's domain.
  private func suffixFinding(_ area: String) -> Finding {
    var time = RuleLibraries.builtInSuffixListTime
    let status = RuleLibraries.suffixListFile.flatMap { FileStatus($0) }
    let file = status.flatMap { _ in RuleLibraries.suffixListFile }
    if let status { time = max(time, status.modifiedSeconds) }
    let remedy = "update the package `publicsuffix`"
    guard time > 0 else {
      return .problem(area, "there is no list of public suffixes", "install the package `publicsuffix`")
    }
    let day = RFC3339.text(UInt64(time) * 1000).prefix(10)
    let text = "the list of public suffixes\(file.map { " (\($0))" } ?? "") is of \(day)"
    return Int64(now / 1000) - time > Self.suffixListAge ? .warning(area, text, remedy) : .ok(area, text)
  }

  /// Seconds in two years and a half: what a stable distribution may be behind.
  private static let suffixListAge: Int64 = 913 * 86_400
}
