package import GuardModel

/// What `webviewguard.yaml` says: how the daemon runs, and nothing of whom it guards.
///
///     policyRequired: true
///     log: { directory: /var/log/webviewguard, durability: written }
///     contract: { answerMs: 500, navigation: closed }
///
/// Every key may be left out; the values here are what then holds, and the safe ones.
package struct DaemonSettings: Sendable, Hashable {
  /// Blocks everything as long as no policy ever loaded.
  package var policyRequired = true
  package var log = Log()
  package var limits = Limits()
  /// Seconds that an instance lives on after its last connection.
  package var graceSeconds = 60
  /// What clients do when the daemon does not answer.
  package var contract = FailureContract()
  package var sockets = Sockets()

  package init() {}

  /// The decision log.
  package struct Log: Sendable, Hashable {
    /// An absolute path.
    package var directory = "/var/log/webviewguard"
    package var durability = Durability.written
    package var accounts = AccountNaming.pseudonym
    package var redaction = RedactionSettings()
    package var onLogFailure = LogFailureAnswer.block
    /// The active file is closed when it is larger than this.
    package var rotateMegabytes = 64
    /// Closed files whose newest record is older than this are removed.
    package var keepDays = 90
    /// The most that all files hold together; the oldest go before their time when they hold more.
    package var maximumMegabytes = 4096
    /// The most of that which one user's records may fill.
    package var userPercent = 25

    package init() {}
  }

  /// When an answer may leave.
  package enum Durability: String, Sendable, Hashable, CaseIterable {
    /// When its record is with the kernel.
    case written
    /// When its record is on the disk: a power cut takes no answered decision with it.
    case synced
  }

  /// What happens to answers that would allow, when their record cannot be written. Restrictions always hold.
  package enum LogFailureAnswer: String, Sendable, Hashable, CaseIterable {
    case block
    case `continue`
  }

  /// How much one peer may ask of the daemon. Crossing a limit refuses the new; it never forgets what is.
  package struct Limits: Sendable, Hashable {
    /// Bytes of one message.
    package var messageBytes = 524_288
    /// Requests of one connection that wait for their answer.
    package var pipelinedRequests = 256
    /// Connections in all.
    package var connections = 1024
    package var connectionsPerUser = 64
    /// Seconds that a message may stay half sent.
    package var partialMessageSeconds = 10
    package var viewersPerInstance = 4096
    package var windowsPerInstance = 1024
    package var instancesPerUser = 256
    /// Seconds that an app may take for a switch of identity that it was asked for.
    package var switchSeconds = 30
    /// Seconds that a connection may stay without an instance, while there is a policy to attach under.
    package var attachSeconds = 30
    /// Megabytes for what apps register, and as many again for what is on its way to them and from them.
    package var memoryMegabytes = 128

    package init() {}
  }

  /// Where the daemon listens; nil leaves it to the command line and to systemd.
  package struct Sockets: Sendable, Hashable {
    /// Absolute path of the socket that apps ask at.
    package var `guard`: String?
    /// Absolute path of the administrator's socket.
    package var admin: String?
    /// The group that may connect to the administrator's socket.
    package var adminGroup: String?
    /// Sockets of single apps: who comes through one is that app.
    package var apps: [AppSocket] = []

    package init() {}
  }

  /// A socket that one app has for itself, made by the daemon; systemd's are not named here.
  package struct AppSocket: Sendable, Hashable {
    /// What `peers` call it by.
    package var name: String
    /// An absolute path; nil puts it beside the other sockets, as `NAME.sock`.
    package var path: String?
    /// Who may connect, beside the daemon's own user: the members of this group. Nobody else without it.
    package var group: String?
    /// Everybody on the machine may connect.
    package var open = false

    package init(name: String) { self.name = name }
  }
}
