internal import JSONText

/// Reads the calls that come in on one socket, one frame at a time. It keeps its buffers.
///
///     var decoder = RequestDecoder(serving: .guardSocket)
///     switch decoder.decode(#"{"method":"org.webviewguard.Guard.WhoAmI"}"#.utf8.span) { … }
package struct RequestDecoder: ~Copyable {
  private var parser: JSONParser
  private let served: InterfaceSet

  package init(serving served: InterfaceSet, maximumLength: Int = FrameSplitter.defaultMaximumLength) {
    parser = JSONParser(maximumLength: maximumLength)
    self.served = served
  }

  /// Decodes a frame, which comes without its NUL.
  @_lifetime(&self)
  package mutating func decode(_ frame: Span<UInt8>) -> Incoming {
    let served = served
    let root: JSONValue
    do throws(JSONError) {
      root = try parser.parse(frame)
    } catch {
      return .unreadable(.notJSON(error))
    }
    guard root.kind == .object else { return .unreadable(.notAMessage) }
    let envelope = Envelope(root)
    do throws(ServiceError) {
      let method = try envelope.method(of: root, in: served)
      return .request(
        Request(
          method: method, wantsMore: envelope.more, isOneway: envelope.oneway,
          parameters: root.at(envelope.parameters)))
    } catch {
      return .refused(error, isOneway: envelope.oneway)
    }
  }
}

/// The flags of a call (varlink.org, "Method Call"), and the error in its outermost members.
private struct Envelope {
  /// The places of two members in the document.
  private var method: Int?
  private(set) var parameters: Int?
  private(set) var more = false
  private(set) var oneway = false
  private var upgrade = false
  private var error: ServiceError?

  private enum Key: String, CaseIterable, Sendable {
    case method
    case parameters
    case more
    case oneway
    case upgrade

    static let byName = NameTable(words: Key.self)
  }

  /// Reads all members even after an error: `oneway` says whether the caller may get an error.
  init(_ root: JSONValue) {
    var members = root.members
    while let member = members.next() {
      switch Key.byName[member.key] {
      case .more: more = flag(member.value, .more)
      case .oneway: oneway = flag(member.value, .oneway)
      case .upgrade: upgrade = flag(member.value, .upgrade)
      case .method:
        method = member.value.index
        if member.value.kind != .string { note("method") }
      case .parameters:
        parameters = member.value.index
        if member.value.kind != .object, !member.value.isNull { note("parameters") }
      case nil: note(shortened(member.key))
      }
    }
  }

  /// The method, when the call around it has no error.
  func method(of root: JSONValue, in served: InterfaceSet) throws(ServiceError) -> Method {
    if let error { throw error }
    guard let name = root.at(method)?.stringBytes else { throw .invalidParameter("method") }
    let method = try Method.find(name, in: served)
    // A caller that sets both, or wants another protocol afterwards, would wait forever.
    if more && oneway { throw .invalidParameter("more") }
    if upgrade { throw .invalidParameter("upgrade") }
    if method.needsMore && !more { throw .expectedMore }
    return method
  }

  private mutating func flag(_ value: JSONValue, _ key: Key) -> Bool {
    if value.bool == nil, !value.isNull { note(key.rawValue) }
    return value.bool ?? false
  }

  private mutating func note(_ parameter: String) {
    if error == nil { error = .invalidParameter(parameter) }
  }
}
