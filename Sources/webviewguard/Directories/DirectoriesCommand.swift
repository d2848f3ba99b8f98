internal import AccountDirectories
internal import ArgumentParser
internal import Glibc
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `directories`: opens and closes the directories of accounts as the daemon says, as root.
struct DirectoriesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "directories", abstract: "Keep directories of accounts open while the accounts may work.",
    discussion: """
      For webviewguard-directories.service, as root. The daemon names the directories that have to be open, and gives their \
      keys; this program opens them by fscrypt or gocryptfs, and closes all others. It runs until it is ended. When the \
      daemon stays away, it closes everything. With --close it closes everything and ends. Only one program keeps the \
      directories of a store at a time; another one fails and closes nothing.
      """, shouldDisplay: false)

  @Option(help: "The directory that they lie in.", completion: .directory)
  var store = Self.systemStore

  @Option(help: "How long a daemon may be away: 30s, 5m …", transform: Interval.read)
  var patience = Interval(seconds: 60)

  @Flag(help: "Close every directory, and end.")
  var close = false

  @OptionGroup var place: SocketOptions

  static let systemStore = "/var/lib/webviewguard-accounts"

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    guard geteuid() == 0 else { throw CommandFailure("only root can keep directories of others") }
    guard store.hasPrefix("/"), store.count > 1, !store.hasSuffix("/") else {
      throw CommandFailure("--store has to be an absolute path without a `/` at its end")
    }
    let store = DirectoryStore(root: store)
    // A store that nobody made has nothing to close.
    guard !close || FileStatus(store.root) != nil else { return }
    let lock = try lock(store)
    defer { withExtendedLifetime(lock) {} }
    var keeper = DirectoryKeeper(store: store, socket: place.path(.forAdministrators))
    guard !close else {
      guard keeper.closeAll() else { throw ExitCode(1) }
      return
    }
    try run(&keeper)
  }

  /// Waits for a keeper that ends. One that works keeps the lock, and this program fails.
  private func lock(_ store: DirectoryStore) throws -> FileLock {
    let deadline = Deadline(after: 5_000)
    while true {
      do throws(DirectoryFault) { return try store.lock() } catch {
        guard case .taken = error, !deadline.isOver else { throw CommandFailure(error.description) }
      }
      try Interval(seconds: 1).wait()
    }
  }

  /// Serves one daemon after the other.
  private func run(_ keeper: inout DirectoryKeeper) throws {
    var told = ToldProblems()
    var deadline = Deadline(after: 1000 * patience.seconds)
    while true {
      do throws(ClientError) {
        try keeper.serve {
          deadline = Deadline(after: 1000 * patience.seconds)
          told.say(.daemon, nil)
        }
      } catch {
        told.say(.daemon, error.description)
      }
      if deadline.isOver { _ = keeper.closeAll() }
      try Interval(seconds: 1).wait()
    }
  }
}
