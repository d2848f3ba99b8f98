/// The messages for people about the life of an account, in the languages that are built in. Each names what the person can
/// do.
///
///     AccountNotice.signIn.text(in: [deAT])    // "Melden Sie sich bei {app} mit Ihrem Arbeitskonto an."
///
/// A policy's own texts go before them (`texts`). Placeholders are filled in like those of other texts; `{organization}` and
/// `{contact}` have words of their own in each language, for policies that name neither.
package enum AccountNotice: String, Sendable, Hashable, CaseIterable {
  /// No source says that the person is signed in.
  case signIn
  /// The app takes only other accounts.
  case otherAccount
  case blocked
  case notCompliant
  /// Nothing was known of the account's conditions for too long.
  case notChecked
  /// The same, with the time of the last word: `{date}`.
  case notCheckedSince
  /// The source of the sign-in does not answer, and the last word holds until `{date}`.
  case signInSilent
  case locked
  case wiped
  /// Data will be removed at `{date}`.
  case wipeAnnounced
  /// It meets the conditions.
  case compliant
  /// Nothing is known of its conditions, and it may work until `{date}`.
  case checkSilent
  /// The policy could not be fetched lately.
  case offline
  /// The person did not answer the question.
  case notUnlocked
  /// The question could not be shown.
  case cannotAsk
  /// The app has to start anew, and does not do so by itself.
  case restart

  /// The message for the first of these languages that is built in, or for a wider one; else in English.
  package func text(in languages: [LanguageTag]) -> String { NoticeLanguage.first(of: languages)[self] }

  /// The stand-in for the name of the organisation, as a subject: "your organization"
  package static func organization(in languages: [LanguageTag]) -> String {
    NoticeLanguage.first(of: languages).organization
  }

  /// The stand-in for the person to ask, as an object: "your help desk"
  package static func contact(in languages: [LanguageTag]) -> String { NoticeLanguage.first(of: languages).contact }
}

/// A built-in language, by its tag.
enum NoticeLanguage: String {
  case english = "en"
  case german = "de"
  case french = "fr"
  case spanish = "es"

  /// The first of these languages that is built in, or a wider one; else English.
  static func first(of languages: [LanguageTag]) -> NoticeLanguage {
    for language in languages {
      var next: LanguageTag? = language
      while let tag = next {
        if let found = NoticeLanguage(rawValue: tag.description) { return found }
        next = tag.broader
      }
    }
    return .english
  }

  subscript(notice: AccountNotice) -> String {
    switch self {
    case .english: Self.english(notice)
    case .german: Self.german(notice)
    case .french: Self.french(notice)
    case .spanish: Self.spanish(notice)
    }
  }

  var organization: String {
    switch self {
    case .english: "your organization"
    case .german: "Ihre Organisation"
    case .french: "votre organisation"
    case .spanish: "su organización"
    }
  }

  var contact: String {
    switch self {
    case .english: "your help desk"
    case .german: "Ihren Helpdesk"
    case .french: "votre assistance"
    case .spanish: "su servicio de asistencia"
    }
  }

  private static func english(_ notice: AccountNotice) -> String {
    switch notice {
    case .signIn: "Sign in to {app} with your work account."
    case .otherAccount: "{app} accepts only accounts of {organization}; you are {account}."
    case .blocked: "The account {account} is blocked here. Ask {contact}."
    case .notCompliant: "The account {account} does not meet the conditions of {organization}. Ask {contact}."
    case .notChecked:
      "This computer was not checked for some time. Connect it, or ask {contact}. Nothing was deleted."
    case .notCheckedSince:
      "This computer was last checked on {date}. Connect it, or ask {contact}. Nothing was deleted."
    case .signInSilent: "The sign-in service does not answer. You can work until {date}."
    case .locked: "Unlock the account {account} first."
    case .wiped: "The data of the account {account} was removed here. A mistake? Ask {contact}."
    case .wipeAnnounced:
      "On {date} {organization} will remove the data of the account {account} here. A mistake? Ask {contact}."
    case .compliant: "The account {account} meets the conditions of {organization}."
    case .checkSilent: "The conditions of {organization} cannot be checked at the moment. You can work until {date}."
    case .offline: "{organization} could not be reached. Connect this computer, and try again."
    case .notUnlocked: "The account {account} was not unlocked. Try again when you want to use it."
    case .cannotAsk: "Nobody can be asked here to unlock the account {account}. Ask {contact}."
    case .restart: "Close {app} and open it again: {organization} changed its rules."
    }
  }

  private static func german(_ notice: AccountNotice) -> String {
    switch notice {
    case .signIn: "Melden Sie sich bei {app} mit Ihrem Arbeitskonto an."
    case .otherAccount: "{app} nimmt nur Konten an, die {organization} verwaltet; Sie sind {account}."
    case .blocked: "Das Konto {account} ist hier gesperrt. Fragen Sie {contact}."
    case .notCompliant:
      "Das Konto {account} erfüllt die Bedingungen nicht, die {organization} stellt. Fragen Sie {contact}."
    case .notChecked:
      "Dieser Computer wurde seit einiger Zeit nicht geprüft. Verbinden Sie ihn, oder fragen Sie {contact}. Es wurde nichts gelöscht."
    case .notCheckedSince:
      "Dieser Computer wurde zuletzt am {date} geprüft. Verbinden Sie ihn, oder fragen Sie {contact}. Es wurde nichts gelöscht."
    case .signInSilent: "Der Anmeldedienst antwortet nicht. Sie können bis {date} arbeiten."
    case .locked: "Entsperren Sie zuerst das Konto {account}."
    case .wiped: "Die Daten des Kontos {account} wurden hier entfernt. Ein Irrtum? Fragen Sie {contact}."
    case .wipeAnnounced:
      "Am {date} entfernt {organization} hier die Daten des Kontos {account}. Ein Irrtum? Fragen Sie {contact}."
    case .compliant: "Das Konto {account} erfüllt die Bedingungen, die {organization} stellt."
    case .checkSilent:
      "Die Bedingungen, die {organization} stellt, lassen sich zurzeit nicht prüfen. Sie können bis {date} arbeiten."
    case .offline: "{organization} ist nicht erreichbar. Verbinden Sie diesen Computer, und versuchen Sie es erneut."
    case .notUnlocked:
      "Das Konto {account} wurde nicht entsperrt. Versuchen Sie es erneut, wenn Sie es verwenden wollen."
    case .cannotAsk: "Hier kann niemand gebeten werden, das Konto {account} zu entsperren. Fragen Sie {contact}."
    case .restart:
      "Schließen Sie {app}, und öffnen Sie es wieder: Die Regeln haben sich geändert, die {organization} stellt."
    }
  }

  private static func french(_ notice: AccountNotice) -> String {
    switch notice {
    case .signIn: "Connectez-vous à {app} avec votre compte professionnel."
    case .otherAccount: "{app} n'accepte que les comptes que gère {organization} ; vous êtes {account}."
    case .blocked: "Le compte {account} est bloqué ici. Adressez-vous à {contact}."
    case .notCompliant:
      "Le compte {account} ne remplit pas les conditions que pose {organization}. Adressez-vous à {contact}."
    case .notChecked:
      "Cet ordinateur n'a pas été vérifié depuis un certain temps. Connectez-le ou adressez-vous à {contact}. Rien n'a été supprimé."
    case .notCheckedSince:
      "Cet ordinateur a été vérifié pour la dernière fois le {date}. Connectez-le ou adressez-vous à {contact}. Rien n'a été supprimé."
    case .signInSilent: "Le service de connexion ne répond pas. Vous pouvez travailler jusqu'au {date}."
    case .locked: "Déverrouillez d'abord le compte {account}."
    case .wiped: "Les données du compte {account} ont été supprimées ici. Une erreur ? Adressez-vous à {contact}."
    case .wipeAnnounced:
      "Le {date}, {organization} supprimera ici les données du compte {account}. Une erreur ? Adressez-vous à {contact}."
    case .compliant: "Le compte {account} remplit les conditions que pose {organization}."
    case .checkSilent:
      "Les conditions que pose {organization} ne peuvent pas être vérifiées pour le moment. Vous pouvez travailler jusqu'au {date}."
    case .offline: "{organization} n'est pas joignable. Connectez cet ordinateur et réessayez."
    case .notUnlocked: "Le compte {account} n'a pas été déverrouillé. Réessayez quand vous voudrez l'utiliser."
    case .cannotAsk:
      "Personne ne peut être invité ici à déverrouiller le compte {account}. Adressez-vous à {contact}."
    case .restart: "Fermez {app} et ouvrez-le à nouveau : les règles que pose {organization} ont changé."
    }
  }

  private static func spanish(_ notice: AccountNotice) -> String {
    switch notice {
    case .signIn: "Inicie sesión en {app} con su cuenta de trabajo."
    case .otherAccount: "{app} solo admite cuentas que administra {organization}; usted es {account}."
    case .blocked: "La cuenta {account} está bloqueada aquí. Pregunte a {contact}."
    case .notCompliant: "La cuenta {account} no cumple las condiciones que pone {organization}. Pregunte a {contact}."
    case .notChecked:
      "Este equipo no se ha comprobado desde hace un tiempo. Conéctelo o pregunte a {contact}. No se ha borrado nada."
    case .notCheckedSince:
      "Este equipo se comprobó por última vez el {date}. Conéctelo o pregunte a {contact}. No se ha borrado nada."
    case .signInSilent: "El servicio de inicio de sesión no responde. Puede trabajar hasta el {date}."
    case .locked: "Desbloquee primero la cuenta {account}."
    case .wiped: "Los datos de la cuenta {account} se eliminaron aquí. ¿Un error? Pregunte a {contact}."
    case .wipeAnnounced:
      "El {date} {organization} eliminará aquí los datos de la cuenta {account}. ¿Un error? Pregunte a {contact}."
    case .compliant: "La cuenta {account} cumple las condiciones que pone {organization}."
    case .checkSilent:
      "Las condiciones que pone {organization} no se pueden comprobar en este momento. Puede trabajar hasta el {date}."
    case .offline: "No se puede contactar con {organization}. Conecte este equipo e inténtelo de nuevo."
    case .notUnlocked: "La cuenta {account} no se ha desbloqueado. Inténtelo de nuevo cuando quiera usarla."
    case .cannotAsk: "Aquí no se puede pedir a nadie que desbloquee la cuenta {account}. Pregunte a {contact}."
    case .restart: "Cierre {app} y vuelva a abrirlo: han cambiado las reglas que pone {organization}."
    }
  }
}
