internal import GuardProtocol
internal import JSONText

/// A client of one daemon: calls go out, replies come back in the order of the calls.
///
///     var client = try VarlinkClient(connectingTo: "/run/webviewguard/guard.sock")
///     let reply = try client.call("org.webviewguard.Guard.WhoAmI")
///     reply.error             // nil
///     reply.parameters["uid"] // .int(1000)
struct VarlinkClient: ~Copyable {
  private let socket: UnixSocket
  private var decoder = ReplyDecoder()
  private var splitter = FrameSplitter(maximumLength: 16 << 20)
  private var buffer: [UInt8] = []
  private var writer = JSONWriter()

  /// With `patience`, in milliseconds, neither the connection nor any one step of sending takes longer.
  init(connectingTo path: String, patience: Int? = nil) throws(ClientError) {
    socket = try UnixSocket(connectingTo: path, patience: patience)
  }

  /// Calls and waits for the one reply; an error of the service is a reply, too.
  mutating func call(_ method: String, _ parameters: CallText = CallText()) throws(ClientError) -> VarlinkReply {
    try send(method, parameters)
    return try receive()
  }

  /// Sends a call and waits for nothing. Several may be under way.
  mutating func send(
    _ method: String, _ parameters: CallText = CallText(), replies: ReplyMode = .one
  ) throws(ClientError) {
    writer.reset()
    writer.call(method, parameters, replies: replies)
    try socket.send(writer.span)
  }

  /// The next reply; waits for it, but not beyond the deadline.
  mutating func receive(until deadline: Deadline? = nil) throws(ClientError) -> VarlinkReply {
    while true {
      if let reply = try received() { return reply }
      if let deadline { try socket.wait(until: deadline) }
      guard try socket.receive(into: &buffer) else { throw .closed(socket.path) }
    }
  }

  /// The next reply that has come in already.
  private mutating func received() throws(ClientError) -> VarlinkReply? {
    var splitter = self.splitter
    let step = splitter.next(in: buffer.span)
    self.splitter = splitter
    switch step {
    case .frame(let range): return try read(range)
    case .tooLong: throw .replyTooLong
    case .incomplete:
      buffer.removeFirst(self.splitter.discard())
      return nil
    }
  }

  /// Ends the connection once the daemon has read everything.
  func finish() throws(ClientError) { try socket.finish() }

  private mutating func read(_ range: Range<Int>) throws(ClientError) -> VarlinkReply {
    let bytes = Array(buffer[range])
    do throws(FrameFault) {
      let frame = try decoder.decode(bytes.span)
      var parameters = JSONTree.object([])
      if let value = frame.parameters, !value.isNull { parameters = JSONTree(value) }
      return VarlinkReply(error: frame.error, parameters: parameters, continues: frame.continues)
    } catch {
      throw .unreadable(error)
    }
  }
}

/// One reply, kept.
struct VarlinkReply: Sendable, Hashable {
  /// The error's name with its interface; nil when the call succeeded.
  let error: String?
  /// An object, empty when the service left it out.
  let parameters: JSONTree
  /// More replies to the same call follow.
  let continues: Bool
}
