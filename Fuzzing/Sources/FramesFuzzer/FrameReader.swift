import FuzzSupport
import GuardModel
import GuardProtocol
import JSONText

/// What a frame was taken for.
enum FrameReading: Equatable {
  case call(method: String, isOneway: Bool, what: String)
  case event(method: String, isOneway: Bool, EventCall)
  /// With the name of the error.
  case refused(String, isOneway: Bool)
  case unreadable

  var method: String? {
    switch self {
    case .call(let method, _, _), .event(let method, _, _): method
    case .refused, .unreadable: nil
    }
  }

  var isOneway: Bool? {
    switch self {
    case .call(_, let isOneway, _), .event(_, let isOneway, _), .refused(_, let isOneway): isOneway
    case .unreadable: nil
    }
  }
}

/// Reads frames as one socket does, and keeps what it keeps.
struct FrameReader: ~Copyable {
  private var decoder: RequestDecoder
  private var event = EventCall()

  init(_ served: InterfaceSet) { decoder = RequestDecoder(serving: served) }

  mutating func read(_ frame: [UInt8]) -> FrameReading { Self.read(frame, &decoder, &event) }

  /// A request borrows the decoder, and what the client says is read into the event meanwhile.
  private static func read(
    _ frame: [UInt8], _ decoder: inout RequestDecoder, _ event: inout EventCall
  ) -> FrameReading {
    switch decoder.decode(frame.span) {
    case .unreadable: return .unreadable
    case .refused(let error, let isOneway): return refusal(error, isOneway: isOneway)
    case .request(let request):
      let name = request.method.qualifiedName
      let isOneway = request.isOneway
      let what: String
      do throws(ServiceError) {
        switch request.method {
        case .service(let method): what = "\(try request.serviceCall(method))"
        case .accounts(let method): what = "\(try request.accountsCall(method))"
        case .rules(let method): what = "\(try request.rulesCall(method))"
        case .admin(let method): what = "\(try request.adminCall(method))"
        case .guard(let method):
          let call = try request.guardCall(method, event: &event)
          if case .decide = call { return .event(method: name, isOneway: isOneway, event) }
          what = "\(call)"
        }
      } catch {
        return refusal(error, isOneway: isOneway)
      }
      return .call(method: name, isOneway: isOneway, what: what)
    }
  }

  /// An error is a reply that a client can read, however odd what it repeats is.
  private static func refusal(_ error: ServiceError, isOneway: Bool) -> FrameReading {
    var writer = JSONWriter()
    var replies = ReplyDecoder(maximumLength: 1 << 20)
    writer.answer(error)
    let written = Array(writer.bytes.dropLast())
    require(writer.bytes.last == 0 && !written.contains(0), "a reply is one frame")
    let name = "\(error.qualifiedName)"
    do throws(FrameFault) {
      let reply = try replies.decode(written.span)
      require(reply.error == name, "the reply names its error")
    } catch {
      require(false, "`\(String(decoding: written, as: UTF8.self))` is a reply")
    }
    return .refused(name, isOneway: isOneway)
  }
}
