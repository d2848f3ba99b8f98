internal import CBus
internal import Glibc

/// One message of sd-bus, released with its owner.
struct BusMessage: ~Copyable {
  private let library: bus_library
  private let message: OpaquePointer

  init(_ library: bus_library, owning message: OpaquePointer) {
    self.library = library
    self.message = message
  }

  deinit { _ = library.message_unref(message) }

  /// A call that is not sent yet.
  static func made(
    of call: BusCall, on bus: OpaquePointer, _ library: bus_library
  ) throws(BusError) -> BusMessage {
    for text in [call.destination, call.path, call.interface, call.member] where text.utf8.contains(0) {
      throw .unsendable
    }
    var made: OpaquePointer?
    let result = library.new_method_call(bus, &made, call.destination, call.path, call.interface, call.member)
    guard result >= 0, let made else { throw result == -ENOTCONN ? .gone : .unsendable }
    let message = BusMessage(library, owning: made)
    for argument in call.arguments { try message.append(argument) }
    return message
  }

  /// Sends it; returns the number by which its reply is known.
  func send(on bus: OpaquePointer) throws(BusError) -> UInt64 {
    var cookie: UInt64 = 0
    let result = library.send(bus, message, &cookie)
    guard result >= 0 else { throw .failure(result) }
    return cookie
  }

  // MARK: Writing

  private func append(_ value: BusValue) throws(BusError) {
    switch value {
    case .byte(let value): try append("y", value)
    case .bool(let value): try append("b", Int32(value ? 1 : 0))
    case .int16(let value): try append("n", value)
    case .uint16(let value): try append("q", value)
    case .int32(let value): try append("i", value)
    case .uint32(let value): try append("u", value)
    case .int64(let value): try append("x", value)
    case .uint64(let value): try append("t", value)
    case .double(let value): try append("d", value)
    case .string(let text): try append("s", text: text)
    case .objectPath(let text): try append("o", text: text)
    case .signature(let text): try append("g", text: text)
    case .descriptor(let descriptor): try append("h", descriptor)
    case .variant(let inner): try append("v", inner.signature, [inner])
    case .array(let type, let members): try append("a", type, members)
    case .structure(let members): try append("r", members.map(\.signature).joined(), members)
    case .entry(let key, let inner): try append("e", key.signature + inner.signature, [key, inner])
    }
  }

  private func append(_ type: Unicode.Scalar, _ value: some BitwiseCopyable) throws(BusError) {
    let result = withUnsafePointer(to: value) { library.append_basic(message, type.letter, $0) }
    guard result >= 0 else { throw .unsendable }
  }

  private func append(_ type: Unicode.Scalar, text: String) throws(BusError) {
    guard !text.utf8.contains(0) else { throw .unsendable }
    let result = text.withCString { library.append_basic(message, type.letter, $0) }
    guard result >= 0 else { throw .unsendable }
  }

  private func append(_ type: Unicode.Scalar, _ contents: String, _ members: [BusValue]) throws(BusError) {
    guard library.open_container(message, type.letter, contents) >= 0 else { throw .unsendable }
    for member in members { try append(member) }
    guard library.close_container(message) >= 0 else { throw .unsendable }
  }

  // MARK: Reading

  /// The message that arrived; nil for calls from other peers, which this program does not serve.
  func incoming(_ limits: BusLimits) -> BusIncoming? {
    var type: UInt8 = 0
    guard library.get_type(message, &type) >= 0 else { return nil }
    var cookie: UInt64 = 0
    switch Int(type) {
    case BUS_METHOD_RETURN:
      guard library.get_reply_cookie(message, &cookie) >= 0 else { return nil }
      return .reply(cookie, values(limits))
    case BUS_METHOD_ERROR:
      guard library.get_reply_cookie(message, &cookie) >= 0 else { return nil }
      return .reply(cookie, .failure(error))
    case BUS_SIGNAL:
      return .signal(
        BusSignal(
          sender: text(library.get_sender), path: text(library.get_path), interface: text(library.get_interface),
          member: text(library.get_member), arguments: (try? values(limits).get()) ?? []))
    default: return nil
    }
  }

  private func text(_ part: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?) -> String {
    part(message).map { String(cString: $0) } ?? ""
  }

  private var error: BusError {
    guard let error = library.get_error(message)?.pointee else { return .malformed }
    return .refused(
      name: error.name.map { BusError.shown(String(cString: $0)) } ?? "",
      message: error.message.map { BusError.shown(String(cString: $0)) } ?? "")
  }

  private func values(_ limits: BusLimits) -> Result<[BusValue], BusError> {
    var left = limits
    do throws(BusError) { return .success(try members(&left)) } catch { return .failure(error) }
  }

  /// The values up to the end of the container that is entered, or of the message.
  private func members(_ left: inout BusLimits) throws(BusError) -> [BusValue] {
    var members: [BusValue] = []
    while true {
      var type: CChar = 0
      var contents: UnsafePointer<CChar>?
      let result = library.peek_type(message, &type, &contents)
      guard result >= 0 else { throw .malformed }
      guard result > 0 else { return members }
      guard left.values > 0 else { throw .tooLarge }
      left.values -= 1
      members.append(try value(type, contents.map { String(cString: $0) } ?? "", &left))
    }
  }

  private func value(_ type: CChar, _ contents: String, _ left: inout BusLimits) throws(BusError) -> BusValue {
    switch Unicode.Scalar(UInt8(bitPattern: type)) {
    case "y": .byte(try read(type, 0))
    case "b": .bool(try read(type, Int32(0)) != 0)
    case "n": .int16(try read(type, 0))
    case "q": .uint16(try read(type, 0))
    case "i": .int32(try read(type, 0))
    case "u": .uint32(try read(type, 0))
    case "x": .int64(try read(type, 0))
    case "t": .uint64(try read(type, 0))
    case "d": .double(try read(type, 0))
    case "s": .string(try readText(type, &left))
    case "o": .objectPath(try readText(type, &left))
    case "g": .signature(try readText(type, &left))
    case "h": try readDescriptor(type)
    case "v": .variant(try container(type, contents, &left).one())
    case "a": .array(of: contents, try container(type, contents, &left))
    case "r": .structure(try container(type, contents, &left))
    case "e": try entry(of: container(type, contents, &left))
    default: throw .malformed
    }
  }

  private func entry(of members: [BusValue]) throws(BusError) -> BusValue {
    guard members.count == 2 else { throw .malformed }
    return .entry(members[0], members[1])
  }

  private func container(
    _ type: CChar, _ contents: String, _ left: inout BusLimits
  ) throws(BusError) -> [BusValue] {
    guard left.depth > 0 else { throw .tooLarge }
    left.depth -= 1
    guard library.enter_container(message, type, contents) >= 0 else { throw .malformed }
    let members = try members(&left)
    guard library.exit_container(message) >= 0 else { throw .malformed }
    left.depth += 1
    return members
  }

  private func read<Value: BitwiseCopyable>(_ type: CChar, _ blank: Value) throws(BusError) -> Value {
    var value = blank
    guard library.read_basic(message, type, &value) > 0 else { throw .malformed }
    return value
  }

  /// The descriptor stays the message's, which closes it.
  private func readDescriptor(_ type: CChar) throws(BusError) -> BusValue {
    let _: Int32 = try read(type, -1)
    return .descriptor(-1)
  }

  private func readText(_ type: CChar, _ left: inout BusLimits) throws(BusError) -> String {
    var text: UnsafePointer<CChar>?
    guard library.read_basic(message, type, &text) > 0, let text else { throw .malformed }
    let length = strlen(text)
    guard length <= left.bytes else { throw .tooLarge }
    left.bytes -= length
    return String(cString: text)
  }
}

extension [BusValue] {
  /// The only member, as a variant has one.
  fileprivate func one() throws(BusError) -> BusValue {
    guard count == 1 else { throw .malformed }
    return self[0]
  }
}

extension Unicode.Scalar {
  fileprivate var letter: CChar { CChar(truncatingIfNeeded: value) }
}
