/// What a tree of configuration files can have wrong.
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

/// What the daemon's own settings can have wrong.
extension Diagnostic.Code {
  package static let invalidPath: Self = "invalid-path"
}

/// What names and references can have wrong.
extension Diagnostic.Code {
  package static let invalidName: Self = "invalid-name"
  package static let definedTwice: Self = "defined-twice"
  package static let unknownReference: Self = "unknown-reference"
  package static let unknownGroup: Self = "unknown-group"
  package static let unknownUser: Self = "unknown-user"
}
