/// The facts that an app states about itself when it attaches.
package struct Hello: Sendable {
  var app: String?
  var features: [String]
  var languages: [String]

  package init(app: String?, features: [String] = [], languages: [String] = []) {
    (self.app, self.features, self.languages) = (app, features, languages)
  }

  /// Writes the call.
  ///
  /// - Parameter token: the token of the instance to join; nil starts a new one.
  func write(to output: inout [UInt8], token: String?) {
    output += MessageText.call(
      "Attach",
      members: { members in
        members.member("app", app)
        members.member("instance", token)
        members.member("features", features)
        members.member("languages", languages.isEmpty ? nil : languages)
      })
  }
}

/// A call as bytes.
enum MessageText {
  enum Mode { case one, more, oneway }

  static let interface = "org.webviewguard.Guard"

  /// The message with its NUL; the closure writes the members of the parameters.
  static func call(_ method: String, _ mode: Mode = .one, members: (inout ValueWriter) -> Void) -> [UInt8] {
    call(method, mode, parameters: { $0.object(members) })
  }

  /// The message with its NUL; the closure writes the parameters, braces and all.
  static func call(_ method: String, _ mode: Mode = .one, parameters: (inout ValueWriter) -> Void) -> [UInt8] {
    var writer = ValueWriter()
    writer.object { message in
      message.member("method", method.contains(".") ? method : "\(interface).\(method)")
      message.member("parameters", parameters)
      message.member("more", mode == .more ? true : nil)
      message.member("oneway", mode == .oneway ? true : nil)
    }
    writer.endMessage()
    return writer.bytes
  }
}
