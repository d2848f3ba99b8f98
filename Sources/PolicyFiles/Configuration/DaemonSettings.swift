package import GuardModel

/// The content of `webviewguard.yaml`: settings for running the daemon, none about users and apps.
///
///     policyRequired: true
///     log: { directory: /var/log/webviewguard, durability: written }
///     contract: { answerMs: 500, navigation: closed }
///
/// Every key may be left out; the values here are the safe defaults.
package struct DaemonSettings: Sendable, Hashable {
  /// Blocks everything until a policy has loaded.
  package var policyRequired = true
  package var log = Log()
  package var limits = Limits()
  /// Seconds that an instance lives on after its last connection.
  package var graceSeconds = 60
  /// The clients' behaviour when the daemon does not answer.
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
    /// Limit for all files together; beyond it the oldest are removed before their time.
    package var maximumMegabytes = 4096
    /// The share of that which one user's records may fill.
    package var userPercent = 25

    package init() {}
  }

  /// The moment at which an answer may leave.
  package enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Once its record is with the kernel.
    case written
    /// Once its record is on the disk: a power cut takes no answered decision with it.
    case synced
  }

  /// The treatment of answers that would allow, when their record cannot be written. Restrictions always hold.
  package enum LogFailureAnswer: String, Sendable, Hashable, CaseIterable {
    case block
    case `continue`
  }

  /// Limits for one peer. The daemon refuses a request that crosses a limit, and never forgets existing state for it.
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
    /// Megabytes for registrations of apps, and as many again for messages on the way to and from them.
    package var memoryMegabytes = 128

    package init() {}
  }

  /// The sockets of the daemon; nil leaves them to the command line and to systemd.
  package struct Sockets: Sendable, Hashable {
    /// Absolute path of the socket for apps.
    package var `guard`: String?
    /// Absolute path of the administrator's socket.
    package var admin: String?
    /// The group that may connect to the administrator's socket.
    package var adminGroup: String?
    /// Sockets of single apps: a peer that connects through one is that app.
    package var apps: [AppSocket] = []

    package init() {}
  }

  /// A socket that one app has for itself, made by the daemon; systemd's are not named here.
  package struct AppSocket: Sendable, Hashable {
    /// Its name in `peers`.
    package var name: String
    /// An absolute path; nil puts it beside the other sockets, as `NAME.sock`.
    package var path: String?
    /// The group whose members may connect, beside the daemon's own user; nil allows no other user.
    package var group: String?
    /// Everybody on the machine may connect.
    package var open = false

    package init(name: String) { self.name = name }
  }
}
