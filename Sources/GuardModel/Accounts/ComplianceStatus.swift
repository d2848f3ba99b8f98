/// The result of `Remediate`, with the number that Microsoft's SDK has for it (ledger CA-06).
///
///     ComplianceStatus.notCompliant.number    // 1
public enum ComplianceStatus: String, Sendable, Hashable, CaseIterable {
  /// The account meets the conditions.
  case compliant
  /// It does not.
  case notCompliant
  /// The service that knows failed.
  case serviceFailure
  /// The network failed.
  case networkFailure
  /// The person has to do something first.
  case interactionRequired
  /// The person did not want to.
  case userCancelled

  /// The SDK's number.
  public var number: Int {
    switch self {
    case .compliant: 0
    case .notCompliant: 1
    case .serviceFailure: 2
    case .networkFailure: 3
    case .interactionRequired: 4
    case .userCancelled: 5
    }
  }

  /// A title for the person, in the first of these languages that is built in; else in English (ledger CA-05).
  ///
  ///     ComplianceStatus.networkFailure.title(in: [de])    // "Keine Verbindung"
  package func title(in languages: [LanguageTag]) -> String { NoticeLanguage.first(of: languages).title(self) }
}

extension NoticeLanguage {
  fileprivate func title(_ status: ComplianceStatus) -> String {
    switch self {
    case .english: Self.english(status)
    case .german: Self.german(status)
    case .french: Self.french(status)
    case .spanish: Self.spanish(status)
    }
  }

  private static func english(_ status: ComplianceStatus) -> String {
    switch status {
    case .compliant: "Your account may be used"
    case .notCompliant: "This account may not be used here"
    case .serviceFailure: "This could not be checked"
    case .networkFailure: "No connection"
    case .interactionRequired: "You have to confirm something"
    case .userCancelled: "Not unlocked"
    }
  }

  private static func german(_ status: ComplianceStatus) -> String {
    switch status {
    case .compliant: "Ihr Konto darf verwendet werden"
    case .notCompliant: "Dieses Konto darf hier nicht verwendet werden"
    case .serviceFailure: "Das konnte nicht geprüft werden"
    case .networkFailure: "Keine Verbindung"
    case .interactionRequired: "Sie müssen etwas bestätigen"
    case .userCancelled: "Nicht entsperrt"
    }
  }

  private static func french(_ status: ComplianceStatus) -> String {
    switch status {
    case .compliant: "Votre compte peut être utilisé"
    case .notCompliant: "Ce compte ne peut pas être utilisé ici"
    case .serviceFailure: "La vérification n'a pas été possible"
    case .networkFailure: "Pas de connexion"
    case .interactionRequired: "Vous devez confirmer quelque chose"
    case .userCancelled: "Non déverrouillé"
    }
  }

  private static func spanish(_ status: ComplianceStatus) -> String {
    switch status {
    case .compliant: "Su cuenta se puede usar"
    case .notCompliant: "Esta cuenta no se puede usar aquí"
    case .serviceFailure: "No se ha podido comprobar"
    case .networkFailure: "Sin conexión"
    case .interactionRequired: "Tiene que confirmar algo"
    case .userCancelled: "Sin desbloquear"
    }
  }
}
