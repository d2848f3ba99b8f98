internal import Bus

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
    let request = #"{"clientId":"\#(Self.client)","redirectUri":"https://login.microsoftonline.com"}"#
    let call = BusCall(
      to: Self.name, at: "/com/microsoft/identity/broker1", "com.microsoft.identity.Broker1", "getAccounts",
      [.string("0.0"), .string("webviewguard"), .string(request)])
    let answer: [BusValue]
    do throws(BusError) { answer = try bus.call(call, milliseconds: Self.patience) } catch { throw .bus(error) }
    guard answer.count == 1, case .string(let text) = answer[0] else { throw .fault(.notJSON) }
    do throws(BrokerAccounts.Fault) { return try BrokerAccounts(text) } catch { throw .fault(error) }
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
