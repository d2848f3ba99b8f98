internal import JSONText

/// A call of `org.webviewguard.Admin`, with its parameters read.
package enum AdminCall: Sendable, Hashable {
  case status
  case reload(ReloadCall)
  case rollback(RollbackCall)
  case monitor
  case health
  case metrics
  case exception(ExceptionCall)
  case account(AccountOrder)
  case wipe(WipeCall)
  case noteFailedCheckIn(FailedCheckInCall)
  case forgetCheckIns
  case directory(DirectoryOrder)
}

/// `Reload` of `org.webviewguard.Admin`.
package struct ReloadCall: Call, Hashable {
  /// Only reports the changes.
  package var preview: Bool?
  /// The most distinct events that may be decided differently; with more, the policy in force stays.
  package var maxChange: Int?
  /// The same in percent of the judged events.
  package var maxChangePercent: Int?
  /// Also puts a configuration in force that was rolled back from.
  package var force: Bool?
  /// The configuration comes from its distributor just now: a load that succeeds is a check-in.
  package var checkedIn: Bool?
  /// Exactly as many accounts may be wiped by the policy; without it at most one is.
  package var allowWipes: Int?

  package init() {}

  /// The call asks only to load.
  package var isPlain: Bool { self == ReloadCall() }

  package static let parameters = ParameterTable<ReloadCall>([
    .optionalBool("preview", \.preview), .amount("maxChange", atMost: .max) { $0.maxChange = $1 },
    .amount("maxChangePercent", atMost: 100) { $0.maxChangePercent = $1 }, .optionalBool("force", \.force),
    .optionalBool("checkedIn", \.checkedIn), .amount("allowWipes", atMost: .max) { $0.allowWipes = $1 },
  ])
}

/// `Rollback` of `org.webviewguard.Admin`.
package struct RollbackCall: Call, Hashable {
  /// The digest of the policy to go back to, or its first digits; nil means the previous one.
  package var to: String?

  package init() {}

  package static let parameters = ParameterTable<RollbackCall>([.optionalText("to", \.to)])
}

/// `NoteFailedCheckIn` of `org.webviewguard.Admin`.
package struct FailedCheckInCall: Call, Hashable {
  /// In words.
  package var cause = ""

  package init() {}

  package static let parameters = ParameterTable<FailedCheckInCall>([.name("cause", \.cause)])
}

extension Parameter {
  /// A whole number from 0.
  fileprivate static func amount(
    _ name: String, atMost maximum: Int64, _ set: @escaping @Sendable (inout Subject, Int) -> Void
  ) -> Parameter {
    Parameter(name, .int) { value, subject in
      guard let number = value.int, number >= 0, number <= maximum else { return false }
      set(&subject, Int(number))
      return true
    }
  }
}
