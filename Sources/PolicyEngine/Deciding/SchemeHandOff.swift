internal import GuardModel
internal import URLRules
internal import URLStandard

/// May a URL of another scheme leave for the program that opens it? Ledger E.4, in its order. Where rules apply always
/// and nobody is signed in, the strictest protection speaks here as it does for external pages.
extension Question {
  func handOff(_ subject: borrowing URLSubject) -> Decision {
    guard let settings else { return leave(unrestrictedReason) }
    if settings.send == .any { return leave(.sendAny) }
    if let schemeClass = SchemeClass(of: subject) {
      switch settings[schemeClass] {
      case .any: return leave(.schemeClassAllowed)
      case .program: return answer(.handOff, .schemeClassAllowed).to(.schemeClassProgram(schemeClass))
      case .none: return answer(.block, .schemeClassBlocked)
      }
    }
    let blocked: Reason = subject.hasScheme(in: SchemeClasses.stores) ? .storeLinkBlocked : .handOffBlocked
    guard settings.send.isManaged else { return answer(.block, blocked) }
    if subject.hasScheme(in: settings.exemptSchemes) { return leave(.exemptScheme) }
    if subject.hasScheme(in: settings.managedSchemes) { return leave(.managedScheme) }
    return answer(.block, blocked)
  }

  private func leave(_ reason: Reason) -> Decision { answer(.handOff, reason).to(.schemeHandler) }
}

extension Protection {
  /// The setting that schemes of telecommunication and messaging have of their own (ledger US-06, US-07).
  subscript(schemeClass: SchemeClass) -> SchemeClassSetting {
    schemeClass == .telecommunication ? telecommunication : messaging
  }
}

extension SchemeClass {
  fileprivate init?(of subject: borrowing URLSubject) {
    if subject.hasScheme(in: SchemeClasses.telecommunication) {
      self = .telecommunication
    } else if subject.hasScheme(in: SchemeClasses.messaging) {
      self = .messaging
    } else {
      return nil
    }
  }
}

/// The schemes of each class.
package enum SchemeClasses {
  package static let telecommunication = ["tel", "telprompt", "callto", "sip", "sips"].map { Array($0.utf8) }
  package static let messaging = ["sms", "smsto", "mailto", "xmpp", "im"].map { Array($0.utf8) }
  /// Stores of programs: the person is to be told of the organisation's own (ledger US-09).
  package static let stores = ["appstream", "apt", "snap", "flatpak", "flatpak+https"].map { Array($0.utf8) }
}

extension URLSubject {
  /// Whether the judged URL's scheme is in the list.
  func hasScheme(in schemes: [[UInt8]]) -> Bool {
    let scheme = judged.bytes.span.extracting(judged.schemeRange)
    for candidate in schemes where equal(candidate.span, scheme) { return true }
    return false
  }
}
