import TestSupport

/// Long URLs of the shapes that people meet when they sign in, share, search and are counted.
struct LongURLs {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// One URL of each shape, of about so many bytes.
  static func all(bytes: Int) -> [(shape: String, url: String)] {
    var urls = LongURLs(seed: UInt64(bytes))
    return [
      ("SAML request", urls.samlRequest(bytes)), ("SAML response", urls.samlResponse(bytes)),
      ("OAuth request", urls.oauthRequest(bytes)), ("OAuth answer", urls.oauthAnswer(bytes)),
      ("WS-Federation", urls.federation(bytes)), ("nested redirect", urls.nestedRedirect(bytes)),
      ("signed download", urls.signedDownload(bytes)), ("shared document", urls.sharedDocument(bytes)),
      ("query language", urls.queryLanguage(bytes)), ("counting", urls.counting(bytes)),
      ("data in the path", urls.pathData(bytes)), ("list of numbers", urls.numbers(bytes)),
      ("e-mail link", urls.trackedLink(bytes)), ("matrix", urls.matrix(bytes)),
    ]
  }

  private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  private static let urlSafe = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
  private static let hexadecimal = Array("0123456789abcdef")
  private static let words = ["report", "team", "sales", "plan", "draft", "budget", "minutes", "photos", "2026", "v2"]

  private mutating func text(_ alphabet: [Character], _ count: Int) -> String {
    String((0..<max(0, count)).map { _ in random.one(of: alphabet) })
  }

  private mutating func encoded(_ count: Int) -> String {
    var text = ""
    while text.utf8.count < count {
      switch random.one(of: Self.standard) {
      case "+": text += "%2B"
      case "/": text += "%2F"
      case let letter: text.append(letter)
      }
    }
    return text
  }

  private mutating func repeated(_ count: Int, _ piece: (inout LongURLs) -> String) -> String {
    var text = ""
    while text.utf8.count < count { text += piece(&self) }
    return text
  }

  private mutating func samlRequest(_ bytes: Int) -> String {
    "https://login.microsoftonline.example/0f4e3a5c-11aa-4b8e-9c1d-2233445566aa/saml2?SAMLRequest="
      + encoded(bytes - 700)
      + "%3D%3D&RelayState=https%3A%2F%2Fapp.partner.example%2Fsso%2Freturn%3Ftarget%3D%252Freports%252F12"
      + "&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256&Signature=" + encoded(340) + "%3D"
  }

  private mutating func samlResponse(_ bytes: Int) -> String {
    "https://sp.contoso.com:8443/Shibboleth.sso/SAML2/Redirect?SAMLResponse=" + encoded(bytes - 120)
      + "%3D&RelayState=cookie%3A1690000000_" + text(Self.hexadecimal, 12)
  }

  private mutating func oauthRequest(_ bytes: Int) -> String {
    "https://accounts.example.org/o/oauth2/v2/auth?client_id=" + text(Self.hexadecimal, 32)
      + "&redirect_uri=https%3A%2F%2Fapp.contoso.com%2Fauth%2Fcallback&response_type=code"
      + "&scope=openid%20profile%20email%20offline_access&code_challenge=" + text(Self.urlSafe, 43)
      + "&code_challenge_method=S256&nonce=" + text(Self.urlSafe, 22) + "&prompt=select_account&state="
      + text(Self.urlSafe, bytes - 420)
  }

  private mutating func oauthAnswer(_ bytes: Int) -> String {
    "https://app.contoso.com/auth/callback?id_token=eyJ" + text(Self.urlSafe, 60) + "."
      + text(Self.urlSafe, bytes - 500)
      + "." + text(Self.urlSafe, 342) + "&session_state=" + text(Self.hexadecimal, 36) + "&state=77"
  }

  private mutating func federation(_ bytes: Int) -> String {
    "https://sts.contoso.com/adfs/ls/?wa=wsignin1.0&wtrealm=urn%3Afederation%3Apartner&wct=2026-11-21T10%3A00%3A00Z"
      + "&wctx=LoginOptions%3D3%26estsredirect%3D2%26estsrequest%3D" + text(Self.urlSafe, bytes - 220)
      + "&cbcxt=&username=jane.doe%40contoso.com&mkt=&lc="
  }

  private mutating func nestedRedirect(_ bytes: Int) -> String {
    "https://www.example.net/signin?continue=https%3A%2F%2Fmail.example.net%2Fmail%2Fu%2F0%2F%3F"
      + repeated(bytes - 120) {
        "k\($0.random.below(99))%3Dhttps%253A%252F%252F" + $0.text(Self.hexadecimal, 9) + "%2526"
      }
      + "&hl=en"
  }

  private mutating func signedDownload(_ bytes: Int) -> String {
    "https://bucket-eu.s3.eu-central-1.storage.example/uploads/2026/11/report%20final%20(3).pdf"
      + "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20261121T101112Z&X-Amz-Expires=3600&X-Amz-Security-Token="
      + encoded(bytes - 300) + "&X-Amz-SignedHeaders=host&X-Amz-Signature=" + text(Self.hexadecimal, 64)
  }

  private mutating func sharedDocument(_ bytes: Int) -> String {
    "https://contoso-my.sharepoint.example/:w:/r/personal/jane_doe_contoso_com/_layouts/15/Doc.aspx"
      + "?sourcedoc=%7B0F4E3A5C-11AA-4B8E-9C1D-2233445566AA%7D&file=Plan%202027.docx&action=default&path="
      + repeated(bytes - 220) { "%2F" + $0.random.one(of: Self.words) + "%20\($0.random.below(99))" }
      + "&mobileredirect=true"
  }

  private mutating func queryLanguage(_ bytes: Int) -> String {
    "https://api.social.example/graphql/" + text(Self.urlSafe, 22)
      + "/UserTweets?variables=%7B%22userId%22%3A%2244196397%22"
      + repeated(bytes - 140) { "%2C%22" + $0.random.one(of: Self.words) + "_enabled%22%3A\($0.random.oneIn(2))" }
      + "%7D"
  }

  private mutating func counting(_ bytes: Int) -> String {
    "https://pixel.ads.example/b/ss/1/H.26/s" + text(Array("0123456789"), 14) + "?AQB=1&ndh=1&t=21%2F10%2F2026"
      + repeated(bytes - 110) {
        "&c\($0.random.below(75))=" + $0.random.one(of: Self.words) + "|\($0.random.below(9_999))"
      }
      + "&utm_source=mail&AQE=1"
  }

  private mutating func pathData(_ bytes: Int) -> String {
    "https://imgproxy.example/" + text(Self.urlSafe, 43) + "/rs:fill:1200:630/g:sm/"
      + repeated(bytes - 100) { $0.text(Self.urlSafe, 16) + "/" } + "photo.jpg"
  }

  private mutating func numbers(_ bytes: Int) -> String {
    "https://shop.example/compare/items?ids="
      + repeated(bytes - 60) { "\($0.random.below(9_000_000))," } + "1&sort=price.asc"
  }

  private mutating func trackedLink(_ bytes: Int) -> String {
    "https://eu1.safelinks.protection.example/?url=https%3A%2F%2Fnews.example.org%2Fa%2Fb.html%3Fid%3D7&data=05%7C02%7C"
      + text(Self.hexadecimal, max(0, bytes - 260)) + "%7CUnknown%7C" + text(Self.urlSafe, 48)
      + "%3D%3D%7C0%7C%7C%7C&sdata="
      + encoded(44) + "%3D&reserved=0"
  }

  private mutating func matrix(_ bytes: Int) -> String {
    "http://maps.example/maps/dir/Main+St+1/@48.1,11.5,15z/data="
      + repeated(bytes - 70) { "!\($0.random.below(9))m\($0.random.below(99))!1s0x" + $0.text(Self.hexadecimal, 16) }
  }
}
