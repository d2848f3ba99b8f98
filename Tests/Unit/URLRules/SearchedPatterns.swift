import Bytes
import GuardModel
import URLRules
import URLStandard

/// Patterns with everything that stands in front of them: the search, the literals it could go by, and the host.
struct SearchedPatterns {
  /// A pattern and what was concluded from it.
  struct Entry {
    let regex: Regex
    let choices: [[[UInt8]]]
    let required: RequiredTexts
    let host: IndexKey?
  }

  /// A pattern that PCRE2 finds where something in front of it says that it cannot be found.
  struct Miss: CustomStringConvertible {
    let pattern: String
    let text: String
    let by: String

    var description: String { "`\(pattern)` is found in `\(text)`, and the \(by) says it is not" }
  }

  let entries: [Entry]
  private let search: TextSearch
  private let runner = RegexRunner()

  /// Those of the patterns that are none are left out.
  init(_ patterns: [String]) {
    entries = patterns.compactMap { pattern in
      guard let regex = try? Regex(pattern) else { return nil }
      let shape = RegexShape(pattern)
      return Entry(regex: regex, choices: shape.literalChoices, required: RequiredTexts(shape), host: shape.host)
    }
    search = TextSearch(entries.map(\.regex.pattern))
  }

  var alwaysChecked: [String] { search.alwaysChecked.map { entries[Int($0)].regex.pattern } }

  /// Which of the patterns PCRE2 finds in the text.
  func found(in text: [UInt8]) -> [Bool] {
    entries.map { entry in
      runner.beginDecision(subjectBytes: text.count)
      return entry.regex.interpreted(text.span, runner) == .yes
    }
  }

  /// What speaks against patterns that are found.
  func misses(in text: [UInt8], found: [Bool], record: URLRecord?) -> [Miss] {
    var reported = Set(search.alwaysChecked)
    let done = search.scan(text.span, runner) { reported.insert($0) }
    let folded = text.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    var misses: [Miss] = []
    for (index, entry) in entries.enumerated() where found[index] {
      var by: [String] = []
      if entry.required.areMissing(in: text.span) { by.append("required texts") }
      if !done || !reported.contains(Int32(index)) { by.append("search") }
      by += entry.choices.filter { !$0.contains { holds(folded, $0) } }.map { literals in
        "choice \(literals.map { String(decoding: $0, as: UTF8.self) })"
      }
      if let record, let host = entry.host, !host.holds(of: record) { by.append("key \(host)") }
      let shown = String(decoding: text, as: UTF8.self)
      misses += by.map { Miss(pattern: entry.regex.pattern, text: shown, by: $0) }
    }
    return misses
  }

  private func holds(_ text: [UInt8], _ literal: [UInt8]) -> Bool {
    text.indices.contains { text[$0...].starts(with: literal) }
  }
}

extension IndexKey {
  /// What the words of `IndexKey.host` say, written down once more.
  func holds(of record: borrowing URLRecord) -> Bool {
    guard case .host(let name, let below, let path) = self else { return false }
    let host = Array(copying: record.hostBytes)
    let isBelow = below && record.hostKind == .domain && host.suffix(name.count + 1) == [UInt8(ascii: ".")] + name
    return (host == name || isBelow) && Array(copying: record.pathBytes).starts(with: path)
  }
}
