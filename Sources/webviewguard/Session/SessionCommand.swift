internal import ArgumentParser
internal import Bus
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// `session`: tells the daemon who is signed in in this session, and the person what the daemon has to say.
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session", abstract: "Tell the daemon which accounts this person is signed in with.",
    discussion: """
      Asks the sign-in service on this session's bus (com.microsoft.identity.broker1, of Microsoft or of himmelblau) at \
      once, in an interval, and when another program takes its name; tells the daemon each answer. Runs until it is ended: \
      see webviewguard-session.service. It also asks the daemon what the person is to be told, such as data that will be \
      removed or an app that has to start anew, and shows each of these once by the session's notification service, four \
      an hour at most. Apps whose policy says so get the credential for a sign-in page through the socket \
      $XDG_RUNTIME_DIR/webviewguard-session.sock (org.webviewguard.Session). A sign-in service that does not answer is no sign-out: the daemon's latest word holds until \
      its end. With --once it asks once, prints the accounts and ends with 2 when nobody answers.
      """)

  @Option(help: "How often the service is asked: 30s, 5m …", transform: Interval.read)
  var every = Interval(seconds: 300)

  @Flag(help: "Ask once, print the accounts, and end.")
  var once = false

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  /// The shortest pause between two questions: a program that takes and leaves the name again and again makes no work.
  private static let pause = Interval(seconds: 2)

  /// How often the daemon is asked what the person is to be told.
  private static let noticesEvery = 10

  /// How soon a daemon or a bus that was not there is tried again.
  private static let retry = 15

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    if once { return try runOnce() }
    var told = ToldProblems()
    told.say(.signIn, SignInSocket.start())
    var notices = DesktopNotices(askingAt: place.path(.forApps))
    while true {
      do throws(BusError) {
        try serve(SignInBroker(), &notices, &told)
      } catch {
        told.say(.bus, "cannot ask who is signed in: \(error)")
      }
      try Interval(seconds: min(Self.retry, every.seconds)).wait()
    }
  }

  /// Asks and tells until the bus ends.
  private func serve(
    _ broker: SignInBroker, _ notices: inout DesktopNotices, _ told: inout ToldProblems
  ) throws(BusError) {
    told.say(.bus, nil)
    while true {
      var isTold = true
      do throws(BrokerSilence) {
        let found = try broker.ask()
        told.say(.broker, nil)
        isTold = tell(found.accounts, &told)
      } catch {
        if case .bus(.gone) = error { throw .gone }
        told.say(.broker, "the sign-in service says nothing: \(error)")
      }
      try? Self.pause.wait()
      try wait(isTold ? every.seconds : min(Self.retry, every.seconds), for: broker, showing: &notices, &told)
    }
  }

  /// Waits so many seconds, or until another program serves the name of the sign-in service. Meanwhile the person is told
  /// what there is to be told.
  private func wait(
    _ seconds: Int, for broker: SignInBroker, showing notices: inout DesktopNotices, _ told: inout ToldProblems
  ) throws(BusError) {
    let deadline = Deadline(after: 1000 * seconds)
    while true {
      do throws(NoticeProblem) {
        try notices.look()
        told.say(.notices, nil)
      } catch {
        // That the daemon is away is told with the accounts.
        if case .daemon = error {} else { told.say(.notices, "\(error)") }
      }
      let slice = min(Int(deadline.remainingMilliseconds), 1000 * min(Self.noticesEvery, every.seconds))
      if try broker.wait(milliseconds: slice) || deadline.isOver { return }
    }
  }

  /// Tells the daemon; false when it did not take the word.
  private func tell(_ accounts: [SignedInAccount], _ told: inout ToldProblems) -> Bool {
    do throws(ClientError) {
      let refusal = try SignInWords.tell(accounts, at: place.path(.forApps))
      told.say(.daemon, refusal.map { "the daemon refused: \($0)" })
      return refusal == nil
    } catch {
      told.say(.daemon, error.description)
      return false
    }
  }

  private func runOnce() throws {
    let accounts = try askOnce()
    try options.print(SignInWords.tree(accounts), lines: SignInWords.lines(accounts))
    let refusal: String?
    do throws(ClientError) { refusal = try SignInWords.tell(accounts, at: place.path(.forApps)) } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    guard let refusal else { return }
    StandardError.say("error: the daemon refused: \(refusal.escapedForDisplay)")
    throw ExitCode(1)
  }

  private func askOnce() throws(CommandFailure) -> [SignedInAccount] {
    do throws(BrokerSilence) {
      let broker: SignInBroker
      do throws(BusError) { broker = try SignInBroker() } catch { throw .bus(error) }
      return try broker.ask().accounts
    } catch {
      throw CommandFailure("the sign-in service says nothing: \("\(error)".escapedForDisplay)")
    }
  }
}

/// The word of a session for the daemon.
enum SignInWords {
  private static let patience = 10_000

  /// The parameters of `SignedIn`.
  static func tree(_ accounts: [SignedInAccount]) -> JSONTree {
    let list = accounts.map { account in
      JSONTree.object(
        [("upn", account.upn), ("objectId", account.objectID)].compactMap { key, value in
          value.map { JSONTree.Member(key, .string($0)) }
        })
    }
    return .object([JSONTree.Member("source", .string("broker")), JSONTree.Member("accounts", .array(list))])
  }

  /// A line for each account.
  static func lines(_ accounts: [SignedInAccount]) -> [String] {
    accounts.isEmpty ? ["nobody is signed in"] : accounts.map { $0.all.joined(separator: "  ") }
  }

  /// Tells the daemon; returns the name of the error with which it refused, nil when it took the word.
  static func tell(_ accounts: [SignedInAccount], at path: String) throws(ClientError) -> String? {
    let deadline = Deadline(after: patience)
    var client = try VarlinkClient(connectingTo: path, patience: patience)
    try client.send("org.webviewguard.Accounts.SignedIn", try CallText(tree(accounts)))
    return try client.receive(until: deadline).error
  }
}

/// Problems that were told and still hold: each is told once, and its end too.
struct ToldProblems {
  enum Subject: String {
    case bus
    case broker
    case signIn = "sign-in for apps"
    case daemon
    case notices = "notification service"
  }

  private var known: [Subject: String] = [:]

  /// Tells a problem, or with nil that there is none any more.
  mutating func say(_ subject: Subject, _ problem: String?) {
    guard known[subject] != problem else { return }
    known[subject] = problem
    let text = problem ?? "the \(subject.rawValue) answers again"
    StandardError.say("webviewguard: \(text.escapedForDisplay)")
  }
}
