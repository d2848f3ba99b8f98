extension Diagnostic {
  /// The stable name of a kind of problem, in lower case with hyphens: what scripts match and the docs explain.
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

/// What the bytes of a file can have wrong.
extension Diagnostic.Code {
  package static let fileTooLarge: Self = "file-too-large"
  package static let emptyFile: Self = "empty-file"
  package static let utf16: Self = "utf-16"
  package static let invalidUTF8: Self = "invalid-utf-8"
  package static let nul: Self = "nul"
  package static let controlCharacter: Self = "control-character"
  package static let lineSeparator: Self = "line-separator"
}

/// What YAML can have wrong, or allows and we refuse.
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

/// What the decoding layer reports.
extension Diagnostic.Code {
  package static let missingKey: Self = "missing-key"
  package static let unknownKey: Self = "unknown-key"
  package static let conflictingKeys: Self = "conflicting-keys"
  package static let wrongType: Self = "wrong-type"
  package static let unknownValue: Self = "unknown-value"
  package static let outOfRange: Self = "out-of-range"
}

/// What the collection itself reports.
extension Diagnostic.Code {
  package static let tooManyProblems: Self = "too-many-problems"
}
