package import JSONText

/// A reply as a client receives it. It borrows the decoder, and cannot be kept past the decoder's next frame.
package struct ReplyFrame: ~Escapable {
  /// The error's name with its interface; nil when the call succeeded.
  package let error: String?
  /// An object; nil when the service left it out, which means the empty one.
  package let parameters: JSONValue?
  /// More replies follow.
  package let continues: Bool

  @_lifetime(copy parameters)
  fileprivate init(error: String?, parameters: JSONValue?, continues: Bool) {
    self.error = error
    self.parameters = parameters
    self.continues = continues
  }
}

/// Reads the replies that come in on one connection, one frame at a time. It keeps its buffers.
///
/// It ignores unknown members around the parameters: services may be newer than their clients.
package struct ReplyDecoder: ~Copyable {
  private var parser: JSONParser

  /// Replies may be longer than calls: an interface file, or the errors of a policy that did not load.
  package init(maximumLength: Int = 16 * 1024 * 1024) {
    parser = JSONParser(maximumLength: maximumLength)
  }

  /// The reply in a frame, which comes without its NUL. When it throws, close the connection.
  @_lifetime(&self)
  package mutating func decode(_ frame: Span<UInt8>) throws(FrameFault) -> ReplyFrame {
    let root: JSONValue
    do throws(JSONError) {
      root = try parser.parse(frame)
    } catch {
      throw .notJSON(error)
    }
    guard root.kind == .object else { throw .notAMessage }
    let error = try text(root["error"])
    let continues = try truth(root["continues"])
    let parameters = root["parameters"]
    if let parameters, parameters.kind != .object, !parameters.isNull { throw .notAMessage }
    return ReplyFrame(error: error, parameters: parameters, continues: continues)
  }
}

/// An error that is not a text must not pass for success.
private func text(_ value: JSONValue?) throws(FrameFault) -> String? {
  guard let value, !value.isNull else { return nil }
  guard let text = value.string else { throw .notAMessage }
  return text
}

private func truth(_ value: JSONValue?) throws(FrameFault) -> Bool {
  guard let value, !value.isNull else { return false }
  guard let truth = value.bool else { throw .notAMessage }
  return truth
}
