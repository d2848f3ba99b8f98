/// What lists can have wrong.
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
