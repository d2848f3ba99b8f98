internal import Glibc
internal import GuardProtocol

/// Asks a daemon that may just be starting: waits for its socket and for its answer, but not for ever.
///
///     try PatientClient(path: "/run/webviewguard/admin.sock", seconds: 60).call("org.webviewguard.Admin.Reload")
struct PatientClient {
  private let path: String
  private let deadline: Deadline

  /// Between two looks for the socket, in milliseconds.
  private static let pause = 50

  init(path: String, seconds: Int) {
    self.path = path
    deadline = Deadline(after: seconds * 1000)
  }

  /// The reply. Throws what went wrong last when the time is over.
  func call(_ method: String, _ parameters: CallText = CallText()) throws(ClientError) -> VarlinkReply {
    while true {
      do throws(ClientError) {
        var client = try VarlinkClient(connectingTo: path, patience: Int(max(1, deadline.remainingMilliseconds)))
        try client.send(method, parameters)
        return try client.receive(until: deadline)
      } catch {
        guard error.mayPass, !deadline.isOver else { throw error }
        usleep(UInt32(Self.pause * 1000))
      }
    }
  }
}

extension ClientError {
  /// Whether a daemon that starts, or starts again, mends it.
  fileprivate var mayPass: Bool {
    switch self {
    case .missing, .refused, .closed: true
    default: false
    }
  }
}
