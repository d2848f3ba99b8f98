/// The parts of a URL and of a file's path that a log keeps. Each part is kept or left out; the host always stays.
package struct RedactionSettings: Sendable, Hashable {
  package var credentials = Redaction.drop
  package var path = Redaction.keep
  package var query = Redaction.drop
  package var fragment = Redaction.drop
  /// The path of a file that is saved or opened. Without it a record still says whether it could be trusted.
  package var filePath = Redaction.drop

  package init() {}
}

/// The treatment of one part of a URL on its way into the log.
package enum Redaction: String, Sendable, Hashable, CaseIterable {
  case keep
  case drop
}

/// The form of an account's name in the log.
package enum AccountNaming: String, Sendable, Hashable, CaseIterable {
  /// A keyed pseudonym: the same account is recognised, its name is not read.
  case pseudonym
  case plain
}

/// The decisions of an app that get a record of their own.
package enum RecordPolicy: String, Sendable, Hashable, CaseIterable {
  case all
  /// Allowed ones are only counted.
  case notAllowed
  /// All are only counted.
  case counts
}
