import GuardModel
import GuardProtocol
import JSONText
import Testing

/// What became of one frame on the guard socket.
enum Answer: Equatable {
  case call(GuardCall)
  case service(ServiceCall)
  case refused(ServiceError, isOneway: Bool = false)
  case unreadable(FrameFault)
  case elsewhere
}

/// Decodes frames as the guard socket does.
struct Wire: ~Copyable {
  private var decoder: RequestDecoder
  var event = EventCall()

  init(serving served: InterfaceSet = .guardSocket, maximumLength: Int = FrameSplitter.defaultMaximumLength) {
    decoder = RequestDecoder(serving: served, maximumLength: maximumLength)
  }

  mutating func decode(_ frame: String) -> Answer { decode(Array(frame.utf8)) }

  mutating func decode(_ frame: [UInt8]) -> Answer {
    var event = EventCall()
    let answer = decode(frame, into: &event)
    self.event = event
    return answer
  }

  private mutating func decode(_ frame: [UInt8], into event: inout EventCall) -> Answer {
    switch decoder.decode(frame.span) {
    case .unreadable(let fault): return .unreadable(fault)
    case .refused(let error, let isOneway): return .refused(error, isOneway: isOneway)
    case .request(let request):
      do throws(ServiceError) {
        switch request.method {
        case .guard(let method): return .call(try request.guardCall(method, event: &event))
        case .service(let method): return .service(try request.serviceCall(method))
        case .accounts, .rules, .admin: return .elsewhere
        }
      } catch {
        return .refused(error, isOneway: request.isOneway)
      }
    }
  }

  /// The answer to an event with these members.
  mutating func decode(_ method: GuardMethod, event members: String) -> Answer {
    decode(call(.guard(method), #"{"event":\#(members)}"#))
  }
}

func call(_ method: Method, _ parameters: String) -> String {
  #"{"method":"\#(method.qualifiedName)","parameters":\#(parameters)}"#
}

/// The error of a call, whichever socket serves it; nil when it is taken.
func refusal(of method: Method, _ parameters: String) -> ServiceError? {
  var decoder = RequestDecoder(serving: [.guard, .accounts].contains(method.interface) ? .guardSocket : .adminSocket)
  let more = method.needsMore ? #","more":true"# : ""
  let frame = Array(#"{"method":"\#(method.qualifiedName)","parameters":\#(parameters)\#(more)}"#.utf8)
  switch decoder.decode(frame.span) {
  case .unreadable: return .permissionDenied
  case .refused(let error, _): return error
  case .request(let request):
    var event = EventCall()
    do throws(ServiceError) {
      switch request.method {
      case .guard(let method): _ = try request.guardCall(method, event: &event)
      case .service(let method): _ = try request.serviceCall(method)
      case .accounts(let method): _ = try request.accountsCall(method)
      case .rules(let method): _ = try request.rulesCall(method)
      case .admin(let method): _ = try request.adminCall(method)
      }
      return nil
    } catch {
      return error
    }
  }
}

/// What a reply or an error looks like on the wire, without its NUL.
func written(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  write(&writer)
  var bytes = writer.take()
  #expect(bytes.popLast() == 0)
  return String(decoding: bytes, as: UTF8.self)
}

func interfaceFile(_ interface: Interface) throws -> InterfaceFile {
  var reader = InterfaceReader(interface.file)
  return try reader.read()
}
