/// A host of Microsoft Entra's sign-in pages: the only ones that may get the proof that a person is signed in.
///
/// The one list. Classes name the hosts that they sign in at (`signIn`), the daemon judges each navigation by
/// `isPage`, and so does the session's agent. The attack: a page of a look-alike host that reads the proof signs in
/// as the person.
package enum LoginHost: String, Sendable, Hashable, CaseIterable {
  case global = "login.microsoftonline.com"
  case usGovernment = "login.microsoftonline.us"
  case china = "login.partner.microsoftonline.cn"

  /// Whether a URL, as the URL Standard serialises it, is a page of this host: by https, at its port, without a user.
  ///
  ///     LoginHost.global.isPage(Array("https://login.microsoftonline.com/x?y".utf8))    // true
  ///     LoginHost.global.isPage(Array("https://login.microsoftonline.com:8443/".utf8))            // false
  package func isPage(_ serialized: [UInt8]) -> Bool {
    let wanted = start
    return wanted.withUTF8Buffer { serialized.starts(with: $0) }
  }

  /// A serialised URL of the host begins with it: the default port is left out, a path begins with `/`.
  private var start: StaticString {
    switch self {
    case .global: "https://login.microsoftonline.com/"
    case .usGovernment: "https://login.microsoftonline.us/"
    case .china: "https://login.partner.microsoftonline.cn/"
    }
  }
}
