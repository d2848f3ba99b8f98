internal import ArgumentParser
internal import DataRemoval
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `wipe-files`: removes the files of accounts that the daemon orders removed, as their user.
struct WipeFilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wipe-files", abstract: "Remove the files of this user's accounts that the daemon orders removed.",
    discussion: """
      For webviewguard-wipe@.service, which runs it as the user whose files go; root may not. It reads the orders that \
      the daemon wrote for this user, removes each directory with everything in it, and reports the counts to the \
      daemon. Links, mounts, files of other users and everything outside the directories stay. The status is 1 when \
      something stayed, 2 when an order was not believed, or the daemon could not be told: the order stays, and the next \
      run tells it.
      """, shouldDisplay: false)

  @Option(help: "The directory of orders.", completion: .directory)
  var orders = WipeOrder.systemDirectory

  @Option(help: "How long a daemon that does not answer is tried again: 30s, 5m …", transform: Interval.read)
  var patience = Interval(seconds: 120)

  @Flag(help: "Say what would be removed, and remove and report nothing.")
  var dryRun = false

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let person = try WipedPerson()
    let reading = WipeOrders(directory: orders, daemon: Self.daemon).read(for: person.uid)
    for problem in reading.problems { StandardError.say("webviewguard: \(problem.escapedForDisplay)") }
    guard !dryRun else { return try options.print(Self.tree(reading), lines: Self.lines(reading)) }
    let reports = reading.orders.map { WipeReport($0, removedAs: person) }
    try options.print(.array(reports.map(\.tree)), lines: reports.flatMap(\.lines))
    try WipeReporter(path: place.path(.forApps)).tell(reports, for: patience)
    // A try a minute later may find the order whole; one at once would not.
    guard reading.problems.isEmpty else { throw ExitCode(CommandFailure.status) }
    guard reports.allSatisfy({ $0.kept == 0 }) else { throw ExitCode(1) }
  }

  /// The user whose orders are believed, besides root.
  private static var daemon: UInt32 { Users.uid(ofUser: "webviewguard") ?? 0 }

  private static func tree(_ reading: WipeOrders.Reading) -> JSONTree {
    .array(
      reading.orders.map { order in
        ["request": .string(order.request), "directories": .array(order.directories.map(JSONTree.string))]
      })
  }

  private static func lines(_ reading: WipeOrders.Reading) -> [String] {
    reading.orders.flatMap { order in order.directories.map { "\(order.request): would remove `\($0)`" } }
  }
}

/// The user as whom this program runs.
struct WipedPerson {
  let uid: UInt32
  let home: String

  /// - Throws: for root, who could remove anything, and for a user without a home, whose home nobody could spare.
  init() throws(CommandFailure) {
    uid = getuid()
    guard uid != 0, geteuid() == uid else {
      throw CommandFailure(
        "root may not remove files of accounts; webviewguard-wipe@UID.service runs this as their user")
    }
    guard let home = Users.home(ofUser: uid) else {
      throw CommandFailure("the system does not say where the home of uid \(uid) is; nothing was removed")
    }
    self.home = home
  }
}

/// The end of an order, as the daemon is told.
struct WipeReport: Sendable, Hashable {
  let request: String
  private(set) var removed = 0
  private(set) var kept = 0
  /// One line each, the directory of the order last. They name no file: names of files are content.
  private(set) var problems: [String] = []

  /// Carries an order out.
  init(_ order: WipeOrder, removedAs person: WipedPerson) {
    request = order.request
    let removal = DirectoryRemoval(owner: person.uid, home: person.home)
    for directory in order.directories { add(removal.remove(directory), directory) }
  }

  /// The report of counts that are known.
  init(request: String, outcomes: [(directory: String, outcome: DirectoryRemoval.Outcome)]) {
    self.request = request
    for (directory, outcome) in outcomes { add(outcome, directory) }
  }

  private mutating func add(_ outcome: DirectoryRemoval.Outcome, _ directory: String) {
    switch outcome {
    case .absent: break
    case .refused(let refusal):
      kept += 1
      problems.append("refused, \(refusal.words): `\(directory)`")
    case .done(let tally):
      removed += tally.removed
      kept += tally.keptInAll
      for reason in KeptReason.allCases {
        guard let count = tally.kept[reason] else { continue }
        problems.append("kept \(count) \(count == 1 ? "entry" : "entries") \(reason.words): `\(directory)`")
      }
      guard tally.linked > 0 else { return }
      problems.append("\(tally.linked) of the removed names were names of files that may have others: `\(directory)`")
    }
  }

  var tree: JSONTree {
    [
      "request": .string(request), "removed": .int(Int64(removed)), "kept": .int(Int64(kept)),
      "problems": .array(problems.map(JSONTree.string)),
    ]
  }

  var lines: [String] { ["\(request): \(removed) removed, \(kept) kept"] + problems.map { "  " + $0 } }
}

/// Tells the daemon of orders that were carried out: `org.webviewguard.Accounts.FilesRemoved`.
///
/// A daemon that is away is tried again, since an order without a report counts as not carried out.
struct WipeReporter {
  /// The daemon's socket.
  let path: String
  /// In milliseconds, for one call.
  private static let callPatience = 10_000
  /// Between two tries, in seconds; then twice as long each time, up to the longest.
  private static let pause = (first: 1, longest: 30)

  /// - Throws: a failure when the daemon did not take every report. What it refuses is not told again in this run.
  func tell(_ reports: [WipeReport], for patience: Interval) throws(CommandFailure) {
    let deadline = Deadline(after: patience.seconds * 1000)
    var pause = Self.pause.first
    var left = reports[...]
    var refusals: [String] = []
    while let trouble = tell(&left, &refusals) {
      guard !deadline.isOver else { throw CommandFailure("the daemon was not told: \(trouble.escapedForDisplay)") }
      try Interval(seconds: pause).wait()
      pause = min(2 * pause, Self.pause.longest)
    }
    guard refusals.isEmpty else {
      throw CommandFailure("the daemon did not take the report: \(refusals.joined(separator: ", ").escapedForDisplay)")
    }
  }

  /// Tells what is left; the trouble that stopped it, or nil.
  private func tell(_ left: inout ArraySlice<WipeReport>, _ refusals: inout [String]) -> String? {
    while let report = left.first {
      do throws(ClientError) {
        if let error = try tell(report) { refusals.append("\(report.request): \(error)") }
      } catch {
        return error.description
      }
      left.removeFirst()
    }
    return nil
  }

  /// The name of the error that the daemon answers; nil when it took the report.
  private func tell(_ report: WipeReport) throws(ClientError) -> String? {
    let deadline = Deadline(after: Self.callPatience)
    var client = try VarlinkClient(connectingTo: path, patience: Self.callPatience)
    try client.send("org.webviewguard.Accounts.FilesRemoved", try CallText(report.tree))
    return try client.receive(until: deadline).error
  }
}
