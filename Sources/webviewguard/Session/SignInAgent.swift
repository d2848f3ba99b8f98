internal import GuardModel
internal import JSONText

/// Answers calls of `org.webviewguard.Session`: the credential for one navigation to a sign-in page.
///
///     {"method":"org.webviewguard.Session.SignIn","parameters":{"url":"https://login…","account":"a@contoso.com"}}
///     {"parameters":{"name":"x-ms-RefreshTokenCredential","value":"eyJ0…"}}
///
/// Nothing is kept, and nothing of it is written anywhere. Whoever calls is the person: the service answers all of the
/// person's programs, so that the agent gives nobody what they could not get without it. It sees to it that apps which
/// do as the guard says do not give it away.
struct SignInAgent {
  static let interface = "org.webviewguard.Session"
  /// What a call may have: a URL of 64 KiB, and its escapes.
  static let mostBytes = 160 << 10

  /// Makes the credential of an account for a page; nil when the sign-in service makes none.
  let credential: (SignInPage, String) -> SignInCredential?

  static let description = """
    # The agent of a person's session, webviewguard-session.service
    interface org.webviewguard.Session

    # The credential for one navigation of a view to a sign-in page, to be sent as a header of that request and of no
    # other. Ask only when the decision about the navigation says `signIn`, for the account in its `identity`. Keep it
    # nowhere.
    method SignIn(url: string, account: string) -> (name: string, value: string)

    # The URL is no sign-in page, or not one with one nonce
    error NotASignInPage ()
    # The sign-in service is away, does not know the account, or answered something else than a credential
    error NoCredential ()
    """

  /// The reply to one frame.
  func reply(to frame: [UInt8]) -> JSONTree {
    guard let call = try? JSONTree(parsing: frame.span), let method = call["method"]?.string else {
      return Self.error("org.varlink.service.InvalidParameter", ["parameter": "method"])
    }
    let parameters = call["parameters"] ?? .object([])
    switch method {
    case Self.interface + ".SignIn": return signIn(parameters)
    case "org.varlink.service.GetInfo":
      return [
        "parameters": [
          "vendor": "webviewguard", "product": "webviewguard session", "version": .string(ReleaseVersion.text),
          "url": "", "interfaces": ["org.varlink.service", .string(Self.interface)],
        ]
      ]
    case "org.varlink.service.GetInterfaceDescription" where parameters["interface"]?.string == Self.interface:
      return ["parameters": ["description": .string(Self.description)]]
    default: return Self.error("org.varlink.service.MethodNotFound", ["method": .string(method)])
    }
  }

  private func signIn(_ parameters: JSONTree) -> JSONTree {
    guard let url = parameters["url"]?.string else {
      return Self.error("org.varlink.service.InvalidParameter", ["parameter": "url"])
    }
    guard let account = parameters["account"]?.string, !account.isEmpty else {
      return Self.error("org.varlink.service.InvalidParameter", ["parameter": "account"])
    }
    guard let page = SignInPage(url) else { return Self.error(Self.interface + ".NotASignInPage") }
    guard let made = credential(page, account) else { return Self.error(Self.interface + ".NoCredential") }
    return ["parameters": ["name": .string(SignInCredential.name), "value": .string(made.value)]]
  }

  private static func error(_ name: String, _ about: JSONTree = .object([])) -> JSONTree {
    ["error": .string(name), "parameters": about]
  }
}
