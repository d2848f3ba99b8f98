import GuardModel
import WebViewGuardClient

/// Asks the guard whether a signed-in user may open each URL of the command line, and says what an app would do.
///
///     ask --socket DIR/guard.sock --account work@contoso.com https://docs.contoso.com/ https://example.net/
@main
struct Ask {
  static func main() async {
    let arguments = Arguments(CommandLine.arguments.dropFirst())
    let guardian = GuardClient(
      .init(app: arguments.app, socketPath: arguments.socket) { problem in print("problem: \(problem)") })
    guard await guardian.start() else {
      print("the guard is away; the contract says \(guardian.contract.navigation.rawValue)")
      return await ask(guardian, arguments)
    }
    do {
      try await guardian.setIdentity(.process, account: arguments.account)
      try await guardian.registerViewer("v1", class: "documents", window: "w1")
    } catch {
      print("error: \(error)")
    }
    await ask(guardian, arguments)
  }

  static func ask(_ guardian: GuardClient, _ arguments: Arguments) async {
    for url in arguments.urls {
      let decision = await guardian.navigate(.init(viewer: "v1", url: url, frame: .main, gesture: true))
      print(url, decision.outcome.name, decision.reason)
      if let offer = decision.opensNow { print("  opens \(offer.url) with \(offer.desktopID ?? offer.target)") }
      if let message = decision.message { print("  says \(message)") }
    }
  }
}

/// What the command line says.
struct Arguments {
  var app = "com.contoso.portal"
  var socket: String?
  var account = "work@contoso.com"
  var urls: [String] = []

  init(_ words: some Sequence<String>) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--app": app = words.next() ?? app
      case "--socket": socket = words.next()
      case "--account": account = words.next() ?? account
      default: urls.append(word)
      }
    }
  }
}
