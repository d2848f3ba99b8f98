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
  /// The directory of posture files, in which root's programs put facts about the machine.
  package var postureDirectory = "/run/webviewguard-posture.d"

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

extension DaemonSettings {
  static var decoder: YAMLDecoder<DaemonSettings> {
    .mapping(refusing: SDKSettings.hints) { reader in
      var settings = DaemonSettings()
      reader.read("policyRequired", .bool, into: &settings.policyRequired)
      reader.read("log", Log.decoder, into: &settings.log)
      reader.read("limits", Limits.decoder, into: &settings.limits)
      reader.read("graceSeconds", .int(in: 0...86_400), into: &settings.graceSeconds)
      reader.read("contract", contract, into: &settings.contract)
      reader.read("sockets", Sockets.decoder, into: &settings.sockets)
      reader.read("postureDirectory", .absolutePath(limit: 4_000), into: &settings.postureDirectory)
      return settings
    }
  }

  private static var contract: YAMLDecoder<FailureContract> {
    .mapping { reader in
      var contract = FailureContract()
      reader.read("startMs", .int(in: 1...60_000), into: &contract.startMilliseconds)
      reader.read("answerMs", .int(in: 1...60_000), into: &contract.answerMilliseconds)
      reader.read("navigation", .choice(of: FailureAnswer.self), into: &contract.navigation)
      reader.read("clipboard", .choice(of: FailureAnswer.self), into: &contract.clipboard)
      reader.read("other", .choice(of: FailureAnswer.self), into: &contract.other)
      return contract
    }
  }
}

extension DaemonSettings.Log {
  fileprivate static var decoder: YAMLDecoder<Self> {
    .mapping { reader in
      var log = Self()
      reader.read("directory", .absolutePath(limit: 4_000), into: &log.directory)
      reader.read("durability", .choice(of: DaemonSettings.Durability.self), into: &log.durability)
      reader.read("accounts", .choice(of: AccountNaming.self), into: &log.accounts)
      reader.read("redaction", redaction, into: &log.redaction)
      reader.read("onLogFailure", .choice(of: DaemonSettings.LogFailureAnswer.self), into: &log.onLogFailure)
      reader.read("rotateMegabytes", .int(in: 1...1_024), into: &log.rotateMegabytes)
      reader.read("keepDays", .int(in: 1...3_650), into: &log.keepDays)
      reader.read("maximumMegabytes", .int(in: 4...1_048_576), into: &log.maximumMegabytes)
      reader.read("userPercent", .int(in: 1...100), into: &log.userPercent)
      return log
    }
  }

  private static var redaction: YAMLDecoder<RedactionSettings> {
    .mapping { reader in
      var redaction = RedactionSettings()
      reader.read("credentials", .choice(of: Redaction.self), into: &redaction.credentials)
      reader.read("path", .choice(of: Redaction.self), into: &redaction.path)
      reader.read("query", .choice(of: Redaction.self), into: &redaction.query)
      reader.read("fragment", .choice(of: Redaction.self), into: &redaction.fragment)
      reader.read("filePath", .choice(of: Redaction.self), into: &redaction.filePath)
      return redaction
    }
  }
}

extension DaemonSettings.Limits {
  fileprivate static var decoder: YAMLDecoder<Self> {
    .mapping { reader in
      var limits = Self()
      reader.read("messageBytes", .int(in: 4_096...16_777_216), into: &limits.messageBytes)
      reader.read("pipelinedRequests", .int(in: 1...65_536), into: &limits.pipelinedRequests)
      reader.read("connections", .int(in: 1...65_536), into: &limits.connections)
      reader.read("connectionsPerUser", .int(in: 1...65_536), into: &limits.connectionsPerUser)
      reader.read("partialMessageSeconds", .int(in: 1...3_600), into: &limits.partialMessageSeconds)
      reader.read("viewersPerInstance", .int(in: 1...1_000_000), into: &limits.viewersPerInstance)
      reader.read("windowsPerInstance", .int(in: 1...1_000_000), into: &limits.windowsPerInstance)
      reader.read("instancesPerUser", .int(in: 1...65_536), into: &limits.instancesPerUser)
      reader.read("switchSeconds", .int(in: 1...3_600), into: &limits.switchSeconds)
      reader.read("attachSeconds", .int(in: 1...86_400), into: &limits.attachSeconds)
      reader.read("memoryMegabytes", .int(in: 16...65_536), into: &limits.memoryMegabytes)
      return limits
    }
  }
}

extension DaemonSettings.Sockets {
  /// The length that fits into a socket address with the zero byte at its end.
  private static let maximumPath = 107

  fileprivate static var decoder: YAMLDecoder<Self> {
    .mapping { reader in
      var sockets = Self()
      sockets.guard = reader.optional("guard", .absolutePath(limit: maximumPath))
      sockets.admin = reader.optional("admin", .absolutePath(limit: maximumPath))
      sockets.adminGroup = reader.optional("adminGroup", .nonEmptyString)
      reader.read("apps", .named(appSocket) { DaemonSettings.AppSocket(name: $0.value) }, into: &sockets.apps)
      return sockets
    }
  }

  private static func appSocket(_ name: Located<String>) -> YAMLDecoder<DaemonSettings.AppSocket> {
    .mapping { reader in
      var socket = DaemonSettings.AppSocket(name: name.value)
      socket.path = reader.optional("path", .absolutePath(limit: maximumPath))
      socket.group = reader.optional("group", .nonEmptyString)
      reader.read("open", .bool, into: &socket.open)
      if Name.isValid(name.value), !DaemonSettings.AppSocket.isName(name.value) {
        reader.diagnostics.error(
          .invalidName, at: name.location, "\(name.value.quoted) is not a name of an app's socket",
          hint: "a file is called by it: take letters, digits, `.`, `_` and `-`; `guard` and `admin` are taken")
      }
      if socket.open, socket.group != nil {
        reader.error(
          .conflictingKeys, at: "group", "`group` may not stand beside `open: true`, which lets everybody connect")
      }
      return socket
    }
  }
}

extension DaemonSettings.AppSocket {
  /// Whether a file can have this name, and none of ours has it.
  fileprivate static func isName(_ name: String) -> Bool {
    name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    } && !name.hasPrefix(".") && name != "guard" && name != "admin"
  }
}

extension YAMLDecoder where Value == String {
  /// A path from the root of the file system, of at most `limit` bytes.
  fileprivate static func absolutePath(limit: Int) -> Self {
    .checked(.nonEmptyString, .invalidPath, hint: nil) { path in
      guard path.hasPrefix("/") else { return "\(path.quoted) does not begin with `/`" }
      guard !path.utf8.contains(0) else { return "a path may not hold a NUL character" }
      return path.utf8.count > limit ? "the path has more than \(limit) bytes" : nil
    }
  }
}
