internal import JSONText

/// A call of `org.webviewguard.Admin` about timed exceptions, with its parameters read.
package enum ExceptionCall: Sendable, Hashable {
  case add(AddExceptionCall)
  case list(ListExceptionsCall)
  case remove(RemoveExceptionCall)
}

/// `AddException`: lets a site in for a time.
package struct AddExceptionCall: Call, Hashable {
  /// The one host to let in; nil when `domain` is given.
  package var host: String?
  /// The host to let in, with every host below it.
  package var domain: String?
  package var app: String?
  package var account: String?
  /// Empty: pages, frames and resources.
  package var subjects: [ClassifySubject] = []
  package var seconds: Int64 = 0
  package var cause = ""
  package var untilRestart: Bool?

  package init() {}

  package static let parameters = ParameterTable<AddExceptionCall>([
    .optionalText("host", \.host), .optionalText("domain", \.domain), .optionalText("app", \.app),
    .optionalText("account", \.account),
    .words("subjects", .subject, \.subjects),
    Parameter("seconds", .int, isRequired: true) { value, call throws(ServiceError) in
      guard let seconds = value.int, seconds >= 0 else { return false }
      call.seconds = seconds
      return true
    },
    .text("reason", \.cause), .optionalBool("untilRestart", \.untilRestart),
  ])
}

/// `ListExceptions`.
package struct ListExceptionsCall: Call, Hashable {
  /// Include those that ended recently.
  package var all: Bool?

  package init() {}

  package static let parameters = ParameterTable<ListExceptionsCall>([.optionalBool("all", \.all)])
}

/// `RemoveException`.
package struct RemoveExceptionCall: Call, Hashable {
  package var id = ""

  package init() {}

  package static let parameters = ParameterTable<RemoveExceptionCall>([.name("id", \.id)])
}
