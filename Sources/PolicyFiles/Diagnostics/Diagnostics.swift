internal import GuardModel
package import URLRules

/// All problems found so far, over all files: collected, not thrown, so that one run shows every problem.
///
///     var diagnostics = Diagnostics()
///     diagnostics.error(.missingKey, at: location, "missing key `default`")
///     diagnostics.hasErrors       // true
///     print(diagnostics)          // every diagnostic once, sorted by file, line and column
///
/// The same diagnostic added twice (a file that is included twice) is kept once. Trap: a decoded value may be used only
/// when `hasErrors` is false. Defaults stand in for unreadable values.
package struct Diagnostics: Sendable {
  /// Most diagnostics kept for one file. A binary file, or one that a script wrote wrongly a million times, must not
  /// fill the memory or the terminal. Diagnostics over the limit are counted, and still make `hasErrors` true.
  package static let maximumPerFile = 200

  private var kept: Set<Diagnostic> = []
  private var countByFile: [String: Int] = [:]
  private var overflowByFile: [String: Overflow] = [:]

  /// Whether anything was an error. Never reset, and not bound by `maximumPerFile`.
  package private(set) var hasErrors = false

  package init() {}

  /// Whether nothing at all was reported.
  package var isEmpty: Bool { kept.isEmpty }

  /// Every diagnostic once, sorted; a last one for each file tells how many are not shown.
  package var sorted: [Diagnostic] {
    (Array(kept) + overflowByFile.values.map(\.diagnostic)).sorted()
  }

  /// Adds one diagnostic, unless the very same one is there already.
  package mutating func add(_ diagnostic: Diagnostic) {
    add(diagnostic.severity, at: diagnostic.location) { diagnostic }
  }

  /// Reports an error. Message and hint are made only for a diagnostic that will be shown.
  ///
  ///     diagnostics.error("include-cycle", at: place, "\(name.quoted) includes itself", hint: "remove the include")
  package mutating func error(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: @autoclosure () -> String,
    hint: @autoclosure () -> String? = nil
  ) {
    add(.error, at: location) { Diagnostic(.error, code, at: location, message(), hint: hint()) }
  }

  /// Reports a warning; else like `error`.
  package mutating func warning(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: @autoclosure () -> String,
    hint: @autoclosure () -> String? = nil
  ) {
    add(.warning, at: location) { Diagnostic(.warning, code, at: location, message(), hint: hint()) }
  }

  /// Reports a fact worth knowing; else like `error`.
  package mutating func info(
    _ code: Diagnostic.Code, at location: SourceLocation, _ message: @autoclosure () -> String,
    hint: @autoclosure () -> String? = nil
  ) {
    add(.info, at: location) { Diagnostic(.info, code, at: location, message(), hint: hint()) }
  }

  /// The first error in the order of places; nil when there is none. It is the reason of a failed load where only one
  /// line is shown.
  package var firstError: Diagnostic? { sorted.first { $0.severity == .error } }

  /// Takes over everything that `other` collected, for instance for a file that was read on its own.
  package mutating func merge(_ other: Diagnostics) {
    for diagnostic in other.kept.sorted() { add(diagnostic) }
    for (file, overflow) in other.overflowByFile { note(overflow, in: file) }
  }

  private mutating func add(
    _ severity: Diagnostic.Severity, at location: SourceLocation, _ make: () -> Diagnostic
  ) {
    if countByFile[location.file, default: 0] >= Self.maximumPerFile {
      note(Overflow(last: location, severity: severity, count: 1), in: location.file)
      return
    }
    if severity == .error { hasErrors = true }
    if kept.insert(make()).inserted { countByFile[location.file, default: 0] += 1 }
  }

  private mutating func note(_ overflow: Overflow, in file: String) {
    if overflow.severity == .error { hasErrors = true }
    overflowByFile[file, default: Overflow(last: overflow.last, severity: .warning, count: 0)].join(overflow)
  }
}

/// The diagnostics of a file over the limit; a repeated one is counted again.
private struct Overflow {
  var last: SourceLocation
  var severity: Diagnostic.Severity
  var count: Int

  mutating func join(_ other: Overflow) {
    last = max(last, other.last)
    if other.severity == .error { severity = .error }
    count += other.count
  }

  var diagnostic: Diagnostic {
    let message = count == 1 ? "1 more problem is not shown" : "\(count) more problems are not shown"
    return Diagnostic(severity, .tooManyProblems, at: last, message, hint: "repair the others first")
  }
}

extension Diagnostics: CustomStringConvertible {
  /// One line, or two with a hint, for each diagnostic in order, without a newline at the end.
  package var description: String {
    sorted.map(\.description).joined(separator: "\n")
  }
}

/// An example URL for a warning, with the rule set's answer to it.
///
///     `https://contoso.com.evil.example/` is internal by `tenant`
package struct Witness: Sendable, Hashable {
  package var question: RuleQuestion
  /// The time of the question, in seconds since 1970; nil: now.
  package var at: Int64?
  package var isInternal: Bool
  /// The id of the rule that says so, or `default`.
  package var rule: String

  package init(_ question: RuleQuestion, at: Int64? = nil, isInternal: Bool, rule: String) {
    self.question = question
    self.at = at
    self.isInternal = isInternal
    self.rule = rule
  }
}

extension Witness: CustomStringConvertible {
  package var description: String {
    var text = "`\(question.url)`"
    if let from = question.from { text += " from `\(from)`" }
    if question.hop == true { text += " as a redirect" }
    if let document = question.document, document != question.url { text += " with the document `\(document)`" }
    if question.purpose != .page {
      let names = Purposes.names.filter { question.purpose.contains($0.purpose) }.map(\.name)
      text += " for `\(names.joined(separator: ", "))`"
    }
    return text + " is \(isInternal ? "internal" : "external") by `\(rule)`" + (at == nil ? "" : " then")
  }
}
