internal import Bus
internal import GuardModel
internal import JSONText

/// The sign-in service on the person's own bus, and when to ask it again.
///
/// Source: design accounts.md section 2. Microsoft's broker and himmelblau serve the same name, without introspection.
struct SignInBroker {
  private let bus: Bus

  private static let name = "com.microsoft.identity.broker1"

  /// The service starts on the first question, and reads its store then.
  private static let patience = 30_000

  /// The client that the question names. The service lists the accounts that it lets this client use; it is that of
  /// Microsoft's browser, to which every work account signs in. No token is asked for.
  private static let client = "d7b530a4-7680-4c23-a8bf-c52c121d2e87"

  /// Opens the person's bus and asks for news of the service's owner.
  init() throws(BusError) {
    bus = try Bus(.session)
    try bus.subscribe(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
        + "arg0='\(Self.name)'", milliseconds: Self.patience)
  }

  /// Asks who is signed in.
  func ask() throws(BrokerSilence) -> BrokerAccounts {
    try Self.accounts(on: bus, milliseconds: Self.patience)
  }

  private static func accounts(on bus: Bus, milliseconds: Int) throws(BrokerSilence) -> BrokerAccounts {
    let request: JSONTree = [
      "clientId": .string(client), "redirectUri": .string("https://" + LoginHost.global.rawValue),
    ]
    guard let text = try ask("getAccounts", request, on: bus, milliseconds) else { throw .fault(.notJSON) }
    do throws(BrokerAccounts.Fault) { return try BrokerAccounts(text) } catch { throw .fault(error) }
  }

  /// Every method takes a version, a name for the conversation and JSON, and answers JSON; nil for any other answer.
  private static func ask(
    _ method: String, _ request: JSONTree, on bus: Bus, _ milliseconds: Int
  ) throws(BrokerSilence) -> String? {
    let call = BusCall(
      to: name, at: "/com/microsoft/identity/broker1", "com.microsoft.identity.Broker1", method,
      [.string("0.0"), .string("webviewguard"), .string(request.text())])
    let answer: [BusValue]
    do throws(BusError) { answer = try bus.call(call, milliseconds: milliseconds) } catch { throw .bus(error) }
    guard answer.count == 1, case .string(let text) = answer[0] else { return nil }
    return text
  }

  /// Waits so long, or until another program serves the name; true when one does.
  func wait(milliseconds: Int) throws(BusError) -> Bool {
    let deadline = Deadline(after: milliseconds)
    while true {
      guard case .signal(let news)? = try bus.next(milliseconds: Int(deadline.remainingMilliseconds)) else {
        if deadline.isOver { return false }
        continue
      }
      // Anybody on the bus can send a signal to us; only the bus itself can be its sender.
      guard news.sender == "org.freedesktop.DBus", news.member == "NameOwnerChanged", news.arguments.count == 3,
        news.arguments[0].text == Self.name, news.arguments[2].text?.isEmpty == false
      else { continue }
      return true
    }
  }
}

extension SignInBroker {
  /// A page that waits longer has been loaded without a credential.
  private static let credentialPatience = 5_000

  /// The credential of the account of this name, made anew for this page: on a connection of its own, since the other
  /// one waits for news. Nil when the service does not answer, knows no account of the name, or says anything else.
  static func credential(for page: SignInPage, of account: String) -> SignInCredential? {
    do {
      let bus = try Bus(.session)
      let accounts = try accounts(on: bus, milliseconds: credentialPatience)
      guard let (known, entry) = accounts.entry(named: account), let user = known.upn else { return nil }
      let request = credentialRequest(page.url, user, entry)
      let answer = try ask("acquirePrtSsoCookie", request, on: bus, credentialPatience)
      return answer.flatMap(SignInCredential.init)
    } catch {
      return nil
    }
  }

  private static func credentialRequest(_ url: String, _ user: String, _ entry: JSONTree) -> JSONTree {
    let start = "https://" + LoginHost.global.rawValue + "/common"
    // 8 is a credential for a page; 1 would be a token.
    let parameters: JSONTree = [
      "account": entry, "additionalQueryParametersForAuthorization": [:], "authority": .string(start),
      "authorizationType": 8, "clientId": .string(client), "redirectUri": .string(start + "/oauth2/nativeclient"),
      "requestedScopes": ["https://graph.microsoft.com/.default"], "username": .string(user), "uxContextHandle": -1,
      "ssoUrl": .string(url),
    ]
    return ["account": entry, "authParameters": parameters, "mamEnrollment": false, "ssoUrl": .string(url)]
  }
}

/// Why the sign-in service says nothing. The daemon's latest word then holds until its end.
enum BrokerSilence: Error, Hashable, CustomStringConvertible {
  case bus(BusError)
  case fault(BrokerAccounts.Fault)

  var description: String {
    switch self {
    case .bus(.refused("org.freedesktop.DBus.Error.ServiceUnknown", _)): "no sign-in service is installed"
    case .bus(let error): "\(error)"
    case .fault(let fault): "\(fault)"
    }
  }
}
