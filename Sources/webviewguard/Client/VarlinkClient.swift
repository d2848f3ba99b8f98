internal import GuardModel
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
    var hasWaited = false
    while true {
      if let reply = try received() { return reply }
      if let deadline {
        // A stream without an end is ready at every look.
        guard !hasWaited || !deadline.isOver else { throw .tooLate(socket.path) }
        try socket.wait(until: deadline)
        hasWaited = true
      }
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

extension CallText {
  /// The parameters of a call.
  init(_ parameters: JSONTree) throws(ClientError) {
    do throws(FrameFault) { try self.init(Array(parameters.text().utf8).span) } catch { throw .unreadable(error) }
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

/// The socket of a method.
enum DaemonSocket: Sendable, Hashable {
  /// `guard.sock`, for apps.
  case forApps
  /// `admin.sock`, for administrators.
  case forAdministrators

  /// The socket that serves an interface; anything that is not for administrators goes to the apps' socket.
  init(servingInterfaceOf method: String) {
    let interface = method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
    let isForAdministrators = interface == Interface.admin.rawValue || interface == Interface.rules.rawValue
    self = isForAdministrators ? .forAdministrators : .forApps
  }
}

/// The full name of a method as a person writes it.
///
///     MethodName.find("Navigate")    // "org.webviewguard.Guard.Navigate"
enum MethodName {
  /// The full name; nil when no interface has such a method. A name with a dot is taken as it is.
  static func find(_ name: String) -> String? {
    if name.contains(".") { return name }
    let interface = Interface.inOrderOfSearch.first { $0.methods.contains(name) }
    return interface.map { "\($0.rawValue).\(name)" }
  }

  /// A method that differs from the name in upper and lower case only.
  static func resembling(_ name: String) -> String? {
    let folded = name.lowercased()
    return Interface.inOrderOfSearch.flatMap(\.methods).first { $0.lowercased() == folded }
  }
}

extension Interface {
  /// A short name that several interfaces have means the first of these.
  fileprivate static let inOrderOfSearch: [Interface] = [.guard, .admin, .rules, .service]

  /// The methods that the interface file describes.
  fileprivate var methods: [String] {
    file.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard line.starts(with: "method ".utf8) else { return nil }
      let name = line.dropFirst("method ".utf8.count).prefix { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: " ") }
      return String(decoding: name, as: UTF8.self)
    }
  }
}

extension JSONTree {
  /// A time of a reply, in milliseconds since 1970, written for people; `unknown` for anything else.
  static func time(_ value: JSONTree?) -> String {
    guard let milliseconds = value?.int, milliseconds >= 0 else { return "unknown" }
    return RFC3339.text(UInt64(milliseconds))
  }
}
