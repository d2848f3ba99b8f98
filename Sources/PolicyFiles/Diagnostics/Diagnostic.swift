/// One thing that is wrong, or looks wrong, in a file of the configuration.
///
///     policy.d/apps.yaml:4:3: error: unknown key `sokcet` [unknown-key]
///       hint: did you mean `socket`?
///
/// Messages are lower case, without a full stop, with the user's own text in backticks (`String.quoted`).
/// An error keeps the whole configuration from being loaded; a warning does not.
package struct Diagnostic: Sendable, Hashable {
  /// Its severity.
  package enum Severity: String, Sendable, Hashable {
    case error
    case warning
    /// Worth knowing, and most likely meant: never a failure, even where warnings are one.
    case info
  }

  package var severity: Severity
  package var location: SourceLocation
  package var code: Code
  package var message: String
  /// The text to write instead, when that is known.
  package var hint: String?
  /// A URL that shows it.
  package var witness: Witness?

  package init(
    _ severity: Severity, _ code: Code, at location: SourceLocation, _ message: String, hint: String? = nil,
    witness: Witness? = nil
  ) {
    self.severity = severity
    self.location = location
    self.code = code
    self.message = message
    self.hint = hint
    self.witness = witness
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `file:line:column: error: message [code]`, and when there are, a line `  witness: ...` and a line `  hint: ...`.
  ///
  /// Control and bidirectional characters are escaped here even if the author of the message forgot it: a file must not
  /// move the cursor of the terminal that prints its diagnostics.
  package var description: String {
    let line = "\(location): \(severity.rawValue): \(message.escapedForDisplay) [\(code.rawValue)]"
    let more = [("witness", witness?.description), ("hint", hint)]
    return more.reduce(line) { text, more in
      more.1.map { "\(text)\n  \(more.0): \($0.escapedForDisplay)" } ?? text
    }
  }
}

extension Diagnostic: Comparable {
  /// By location; at one place the worse comes first, then by code and text, so that the order never changes between runs.
  package static func < (one: Diagnostic, other: Diagnostic) -> Bool {
    if one.location != other.location { return one.location < other.location }
    if one.severity != other.severity { return one.severity.rank < other.severity.rank }
    if one.code != other.code { return one.code.rawValue < other.code.rawValue }
    if one.message != other.message { return one.message < other.message }
    if one.hint != other.hint { return (one.hint ?? "") < (other.hint ?? "") }
    return (one.witness?.description ?? "") < (other.witness?.description ?? "")
  }
}

extension Diagnostic.Severity {
  fileprivate var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    }
  }
}

/// Problems of lists.
extension Diagnostic.Code {
  package static let invalidListName: Self = "invalid-list-name"
  package static let listNotFound: Self = "list-not-found"
  package static let listFormatConflict: Self = "list-format-conflict"
  package static let badListLine: Self = "bad-list-line"
  package static let tooManyBadLines: Self = "too-many-bad-lines"
  package static let emptyList: Self = "empty-list"
  package static let listTooLarge: Self = "list-too-large"
  package static let badGzip: Self = "bad-gzip"
  package static let wrongPacking: Self = "wrong-packing"
  package static let listWildcard: Self = "list-wildcard"
  package static let publicSuffix: Self = "public-suffix"
}

/// Problems of the files of `policy.d`.
extension Diagnostic.Code {
  package static let emptyPeer: Self = "empty-peer"
  package static let sharedSocket: Self = "shared-socket"
  package static let browserScheme: Self = "browser-scheme"
  package static let dataDirectory: Self = "data-directory"
  package static let accountPattern: Self = "account-pattern"
  package static let invalidAccount: Self = "invalid-account"
  package static let invalidEscrowKey: Self = "invalid-escrow-key"
  package static let missingPlaceholder: Self = "missing-placeholder"
  package static let openCommand: Self = "open-command"
  package static let rulesOnUnmanaged: Self = "rules-on-unmanaged"
  package static let invalidDesktopFile: Self = "invalid-desktop-file"
  package static let contradictorySettings: Self = "contradictory-settings"
  package static let settingWithoutEffect: Self = "setting-without-effect"
  package static let tooManyProtections: Self = "too-many-protections"
  package static let noSingleAccount: Self = "no-single-account"
  package static let unprotectedViewers: Self = "unprotected-viewers"
  package static let invalidLanguage: Self = "invalid-language"
  package static let invalidText: Self = "invalid-text"
  package static let unseenCharacter: Self = "unseen-character"
  package static let unknownPlaceholder: Self = "unknown-placeholder"
}

/// Problems of the tests of a policy.
extension Diagnostic.Code {
  package static let unknownReason: Self = "unknown-reason"
  package static let invalidRequest: Self = "invalid-request"
  package static let noAppToTest: Self = "no-app-to-test"
}

/// Problems of a tree of configuration files.
extension Diagnostic.Code {
  package static let missingDirectory: Self = "missing-directory"
  package static let unreadableDirectory: Self = "unreadable-directory"
  package static let unreadableFile: Self = "unreadable-file"
  package static let notARegularFile: Self = "not-a-regular-file"
  package static let wrongExtension: Self = "wrong-extension"
  package static let ignoredDirectory: Self = "ignored-directory"
  package static let tooManyFiles: Self = "too-many-files"
  package static let noApps: Self = "no-apps"
  /// Found by the daemon only: others than those it trusts may have written the file.
  package static let notTrusted: Self = "not-trusted"
  package static let moving: Self = "moving"
}

/// Problems of the daemon's own settings.
extension Diagnostic.Code {
  package static let invalidPath: Self = "invalid-path"
}

/// Problems of names and references.
extension Diagnostic.Code {
  package static let invalidName: Self = "invalid-name"
  package static let definedTwice: Self = "defined-twice"
  package static let unknownReference: Self = "unknown-reference"
  package static let unknownGroup: Self = "unknown-group"
  package static let unknownUser: Self = "unknown-user"
}

/// Problems of rule files.
extension Diagnostic.Code {
  package static let invalidHost: Self = "invalid-host"
  package static let invalidURL: Self = "invalid-url"
  package static let invalidScheme: Self = "invalid-scheme"
  package static let invalidRegex: Self = "invalid-regex"
  package static let nonASCIIRegex: Self = "non-ascii-regex"
  package static let invalidTime: Self = "invalid-time"
  package static let invalidPattern: Self = "invalid-pattern"
  package static let invalidFilter: Self = "invalid-filter"
  package static let invalidNetwork: Self = "invalid-network"
  package static let credentialsOnExternal: Self = "credentials-on-external"
  package static let hiddenFilter: Self = "hidden-filter"
  package static let neverMatches: Self = "never-matches"
  package static let emptyMatcher: Self = "empty-matcher"
  package static let actionOnInternal: Self = "then-on-internal"
  package static let accountWithoutLocation: Self = "account-without-location"
  package static let accountOnExternal: Self = "account-on-external"
  package static let locationWithoutFiles: Self = "location-without-files"
  package static let reservedName: Self = "reserved-name"
  package static let notARuleSet: Self = "not-a-rule-set"
  package static let testsInFragment: Self = "tests-in-fragment"
}

/// Problems of includes.
extension Diagnostic.Code {
  package static let invalidInclude: Self = "invalid-include"
  package static let includeNotFound: Self = "include-not-found"
  package static let includeCycle: Self = "include-cycle"
  package static let includeTooDeep: Self = "include-too-deep"
  package static let tooManyRules: Self = "too-many-rules"
}

extension Diagnostic {
  /// The stable name of a kind of problem, in lower case with hyphens. Scripts match it and the docs explain it.
  ///
  ///     extension Diagnostic.Code { package static let includeCycle: Self = "include-cycle" }
  package struct Code: RawRepresentable, ExpressibleByStringLiteral, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    package init(stringLiteral value: String) {
      self.rawValue = value
    }
  }
}

/// Problems of the bytes of a file.
extension Diagnostic.Code {
  package static let fileTooLarge: Self = "file-too-large"
  package static let emptyFile: Self = "empty-file"
  package static let utf16: Self = "utf-16"
  package static let invalidUTF8: Self = "invalid-utf-8"
  package static let nul: Self = "nul"
  package static let controlCharacter: Self = "control-character"
  package static let lineSeparator: Self = "line-separator"
}

/// Problems of YAML, and YAML features that we refuse.
extension Diagnostic.Code {
  package static let syntax: Self = "syntax"
  package static let tabIndentation: Self = "tab-indentation"
  package static let badIndentation: Self = "bad-indentation"
  package static let unclosedQuote: Self = "unclosed-quote"
  package static let anchor: Self = "anchor"
  package static let alias: Self = "alias"
  package static let tag: Self = "tag"
  package static let mergeKey: Self = "merge-key"
  package static let duplicateKey: Self = "duplicate-key"
  package static let emptyKey: Self = "empty-key"
  package static let nonScalarKey: Self = "non-scalar-key"
  package static let multipleDocuments: Self = "multiple-documents"
  package static let yamlVersion: Self = "yaml-version"
  package static let tooDeep: Self = "too-deep"
}

/// Problems that the decoding layer reports.
extension Diagnostic.Code {
  package static let missingKey: Self = "missing-key"
  package static let unknownKey: Self = "unknown-key"
  package static let conflictingKeys: Self = "conflicting-keys"
  package static let wrongType: Self = "wrong-type"
  package static let unknownValue: Self = "unknown-value"
  package static let outOfRange: Self = "out-of-range"
}

/// Problems that the collection itself reports.
extension Diagnostic.Code {
  package static let tooManyProblems: Self = "too-many-problems"
}

/// A place in a file, as an editor shows it: line and column count from 1, columns in Unicode scalars (a tab is one).
///
///     SourceLocation(file: "rules/mail.yaml", line: 3, column: 7).description   // "rules/mail.yaml:3:7"
///
/// `file` is the name as the user gave it, not resolved: a printed name can be pasted back. Locations sort by file,
/// then line, then column.
package struct SourceLocation: Sendable, Hashable {
  package var file: String
  package var line: Int
  package var column: Int

  /// A place in `file`; without line and column, its very beginning, which also stands for the file as a whole.
  package init(file: String, line: Int = 1, column: Int = 1) {
    self.file = file
    self.line = line
    self.column = column
  }
}

extension SourceLocation: Comparable {
  package static func < (one: SourceLocation, other: SourceLocation) -> Bool {
    if one.file != other.file { return one.file < other.file }
    return (one.line, one.column) < (other.line, other.column)
  }
}

extension SourceLocation: CustomStringConvertible {
  /// `file:line:column`, with control and bidirectional characters of the file name escaped.
  package var description: String { "\(file.escapedForDisplay):\(line):\(column)" }
}

/// A value together with the place it was read from, for checks that need to point back at it later.
///
///     let id = reader.required("id", .located(.string))   // Located<String>?
///     diagnostics.error("duplicate-rule", at: id.location, "rule \(id.value.quoted) exists already")
package struct Located<Value> {
  package var value: Value
  package var location: SourceLocation

  package init(_ value: Value, at location: SourceLocation) {
    self.value = value
    self.location = location
  }
}

extension Located: Sendable where Value: Sendable {}
extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
