package import GuardModel
package import JSONText

/// An error reply: a name with its interface, and parameters as in the interface file.
package protocol CallError: Error {
  /// The error's name with its interface: `org.webviewguard.Guard.NoApp`.
  var qualifiedName: String { get }

  /// Writes the members of the parameters object.
  func writeParameters(to writer: inout JSONWriter)
}

extension CallError {
  /// The error in one line: `org.webviewguard.Guard.AppMismatch {"app":"com.contoso.staff"}`. It may name an account.
  package var line: String { "\(qualifiedName) \(parameters)" }

  /// The parameters as JSON text.
  package var parameters: String {
    var writer = JSONWriter()
    writer.beginObject()
    writeParameters(to: &writer)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// The errors that every varlink service shares, from `org.varlink.service`.
package enum ServiceError: CallError, Sendable, Hashable {
  case interfaceNotFound(String)
  /// The method with its interface.
  case methodNotFound(String)
  /// The method with its interface.
  case methodNotImplemented(String)
  /// The plain name of the missing, unknown or wrong parameter or member.
  case invalidParameter(String)
  case permissionDenied
  case expectedMore

  package var qualifiedName: String {
    switch self {
    case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
    case .methodNotFound: "org.varlink.service.MethodNotFound"
    case .methodNotImplemented: "org.varlink.service.MethodNotImplemented"
    case .invalidParameter: "org.varlink.service.InvalidParameter"
    case .permissionDenied: "org.varlink.service.PermissionDenied"
    case .expectedMore: "org.varlink.service.ExpectedMore"
    }
  }

  /// Their last words, which clients give as the reason of a block: `["InterfaceNotFound", "MethodNotFound", …]`.
  package static let words: Set<String> = {
    let all: [ServiceError] = [
      .interfaceNotFound(""), .methodNotFound(""), .methodNotImplemented(""), .invalidParameter(""), .permissionDenied,
      .expectedMore,
    ]
    return Set(all.map { String($0.qualifiedName.split(separator: ".").last ?? "") })
  }()

  package func writeParameters(to writer: inout JSONWriter) {
    switch self {
    case .interfaceNotFound(let name): writer.member("interface", name)
    case .methodNotFound(let name), .methodNotImplemented(let name): writer.member("method", name)
    case .invalidParameter(let name): writer.member("parameter", name)
    case .permissionDenied, .expectedMore: break
    }
  }
}

/// The errors of `org.webviewguard.Rules`.
package enum RulesError: CallError, Sendable, Hashable {
  case unknownRuleSet(String)
  case unknownDecision(String)
  case noPolicy

  package var qualifiedName: String {
    switch self {
    case .unknownRuleSet: "org.webviewguard.Rules.UnknownRuleSet"
    case .unknownDecision: "org.webviewguard.Rules.UnknownDecision"
    case .noPolicy: "org.webviewguard.Rules.NoPolicy"
    }
  }

  package func writeParameters(to writer: inout JSONWriter) {
    switch self {
    case .unknownRuleSet(let name): writer.member("ruleSet", name)
    case .unknownDecision(let id): writer.member("decision", id)
    case .noPolicy: break
    }
  }
}

/// The errors of `org.webviewguard.Admin`.
package enum AdminError: CallError, Sendable, Hashable {
  /// The errors of the policy on disk, one line each.
  case loadFailed([String])
  /// The exception is not granted; with a sentence for people.
  case exceptionRefused(ExceptionRefusal, String)
  case unknownException(String)
  /// The exception, and the reason for not writing it down.
  case exceptionNotKept(String, cause: String)
  /// An order about an account is not carried out; with a sentence for people.
  case accountRefused(AccountRefusal, String)
  /// The policy would change more than the caller allows.
  case tooManyChanges(PolicyPreview, maximum: Int)
  /// The configuration on disk, with this digest, was rolled back from.
  case rolledBack(String)
  /// No policy with this digest is kept, or several begin with it.
  case unknownPolicy(String)
  case nothingToRollBackTo

  package var qualifiedName: String {
    switch self {
    case .loadFailed: "org.webviewguard.Admin.LoadFailed"
    case .exceptionRefused: "org.webviewguard.Admin.ExceptionRefused"
    case .unknownException: "org.webviewguard.Admin.UnknownException"
    case .exceptionNotKept: "org.webviewguard.Admin.ExceptionNotKept"
    case .accountRefused: "org.webviewguard.Admin.AccountRefused"
    case .tooManyChanges: "org.webviewguard.Admin.TooManyChanges"
    case .rolledBack: "org.webviewguard.Admin.RolledBack"
    case .unknownPolicy: "org.webviewguard.Admin.UnknownPolicy"
    case .nothingToRollBackTo: "org.webviewguard.Admin.NothingToRollBackTo"
    }
  }

  package func writeParameters(to writer: inout JSONWriter) {
    switch self {
    case .loadFailed(let diagnostics): writer.member("diagnostics", diagnostics)
    case .exceptionRefused(let refusal, let explanation):
      writer.member("why", refusal.rawValue)
      writer.member("explanation", explanation)
    case .unknownException(let id): writer.member("id", id)
    case .exceptionNotKept(let id, let cause):
      writer.member("id", id)
      writer.member("cause", cause)
    case .accountRefused(let refusal, let explanation):
      writer.member("why", refusal.rawValue)
      writer.member("explanation", explanation)
    case .tooManyChanges(let preview, let maximum):
      writer.member("maximum", maximum)
      preview.write("preview", to: &writer)
    case .rolledBack(let digest), .unknownPolicy(let digest): writer.member("digest", digest)
    case .nothingToRollBackTo: break
    }
  }
}
