internal import GuardModel
internal import JSONText
internal import URLStandard

/// A sign-in page that a view is about to load, as its app says.
///
///     SignInPage("https://login.microsoftonline.com/common/oauth2/authorize?sso_nonce=AwABAA")?.url
///     SignInPage("https://login.microsoftonline.com.evil.example/")    // nil
///     SignInPage("https://login.microsoftonline.com/?sso_nonce=a&sso_nonce=b")    // nil
///
/// The daemon has said yes to this navigation. That is not taken for granted: the agent never makes a credential for
/// another host. The nonce, by which the credential is good for this sign-in alone, is the page's own; of two nobody
/// knows which one counts.
struct SignInPage {
  /// As browsers read it.
  let url: String

  init?(_ text: String) {
    guard let record = URLRecord(text), LoginHost.allCases.contains(where: { $0.isPage(record.bytes) }) else {
      return nil
    }
    url = record.href
    let pairs = Self.pairs(of: record.href)
    // A name with escapes may be that of the nonce to a server.
    guard !pairs.contains(where: { $0.name.contains("%") }) else { return nil }
    let nonces = pairs.filter { $0.name.lowercased() == "sso_nonce" }
    guard nonces.count <= 1, nonces.allSatisfy({ Self.isNonce($0.value) }) else { return nil }
  }

  private static func pairs(of url: String) -> [(name: Substring, value: Substring)] {
    let query = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      .dropFirst()
    return (query.first ?? "").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (parts[0], parts.count == 2 ? parts[1] : "")
    }
  }

  private static func isNonce(_ text: Substring) -> Bool {
    (1...4096).contains(text.utf8.count)
      && text.utf8.allSatisfy { SignInCredential.isOfToken($0) || $0 == UInt8(ascii: "%") }
  }
}

/// The proof that a person is signed in, as the header of one request.
///
///     try SignInCredential(#"{"cookieName":"x-ms-RefreshTokenCredential","cookieContent":"eyJ0…"}"#)
///
/// Any program of the person can answer in the service's place. The attack: content with a line break becomes a second
/// header of the app's request, another name takes the place of a header such as `Host`. So there is one name, and
/// content of the letters that tokens have.
struct SignInCredential {
  static let name = "x-ms-RefreshTokenCredential"
  let value: String

  /// A header that servers still take; credentials have two to four kilobytes.
  private static let mostBytes = 12 << 10

  /// Nil for anything else than a credential.
  init?(_ answer: String) {
    guard let tree = try? JSONTree(parsing: answer), tree["cookieName"]?.string == Self.name else { return nil }
    guard let value = tree["cookieContent"]?.string, (1...Self.mostBytes).contains(value.utf8.count),
      value.utf8.allSatisfy(Self.isOfToken)
    else { return nil }
    self.value = value
  }

  /// Letters of base64 in both alphabets, and what joins the parts of a token.
  static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~+/=".utf8.contains(byte)
    }
  }
}
