internal import ArgumentParser
internal import Glibc
internal import NativeHost
internal import PolicyFiles
internal import PolicyTools
internal import WebViewGuardClient

/// `native-messaging`: the host program of the browser extension.
struct NativeMessagingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "native-messaging", abstract: "Serve the browser extension (started by the browser).",
    discussion: """
      Speaks the browsers' native messaging on standard input and output, and asks the daemon. Browsers start it with \
      the extension's origin, or with the path of its manifest and the extension's id; both are only logged. A host \
      manifest holds no options, so each may also be given as a variable: WEBVIEWGUARD_SOCKET_DIR, \
      WEBVIEWGUARD_CONFIG and WEBVIEWGUARD_APP. Where the machine has a daemon of its own the variables do not count, since \
      the user sets them, and only root and the user `webviewguard` are believed to be the daemon.
      """)

  @Option(help: "The directory of the daemon's sockets.", completion: .directory)
  var socketDir: String?

  @Option(help: "A configuration directory, as the daemon has it; give it again for further ones.")
  var config: [String] = []

  @Option(help: "Ask as this app; needed when the policy's `peers` match several.")
  var app: String?

  @Argument(help: "What the browser says about who connects.")
  var caller: [String] = []

  func run() throws {
    // The browser may be gone during a write; that is an error like any other.
    signal(SIGPIPE, SIG_IGN)
    let names = caller.map { "`\($0.escapedForDisplay)`" }.joined(separator: " ")
    if !caller.isEmpty { StandardError.say("webviewguard: serving \(names)") }
    let session = NativeSession(NativeOptions(socketDirectory: socketDir, app: app, config: config)) { problem in
      StandardError.say("webviewguard: \(problem.description.escapedForDisplay)")
    }
    do throws(GuardProblem) {
      try session.run()
    } catch {
      throw CommandFailure("cannot answer the browser: \(error)")
    }
  }
}
