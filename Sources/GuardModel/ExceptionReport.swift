/// A timed exception as a decision names it: which, who granted it, and why.
package struct ExceptionReport: Sendable, Hashable {
  /// How the log and `exception list` name it: `k7m2q9xw`
  package let id: String
  /// ``host `files.example` ``, or ``domain `files.example` `` with everything below it.
  package let site: String
  /// The person who granted it, `alice (uid 1000)`.
  package let grantor: String
  /// In the grantor's words.
  package let cause: String
  /// The first moment in which it no longer holds, in milliseconds since 1970.
  package let until: UInt64

  package init(id: String, site: String, grantor: String, cause: String, until: UInt64) {
    self.id = id
    self.site = site
    self.grantor = grantor
    self.cause = cause
    self.until = until
  }

  /// ``exception `k7m2q9xw`: host `files.example` counts as internal until 2026-11-21T18:00:00.000Z, granted by …``
  package var sentence: String {
    "exception `\(id)`: \(site) counts as internal until \(RFC3339.text(until)), granted by \(grantor): `\(cause)`"
  }
}
