import GuardModel
import PolicyEngine
import Testing

/// Every way data enters or leaves, as questions that are asked again and again.
extension Situation {
  static let dataPaths: [Situation] =
    transfers + [
      data("print", Answer(.block, .printBlocked), .data(.print)) { $0.printing = .block },
      data("print into a file", Answer(.allow, .printAllowed), .data(.print, path: "/home/ada/plan.pdf")),
      data("capture", Answer(.block, .captureBlocked), .data(.capture)) { $0.screenCapture = .block },
      data("notification", Answer(.block, .notificationBlocked), .data(.notify)) { $0.notifications = .blockOrgData },
      data("index", Answer(.block, .indexBlocked), .data(.index)),
      data("unknown channel", Answer(.block, .channelBlocked), .data(.exchange)),
      data(
        "input method", Answer(.block, .channelBlocked), .data(.exchange, in: "P") { $0.channel = .inputMethod }
      ) { $0.inputMethods = .block },
      data("opened URL", Answer(.handOff, .exemptScheme), .data(.openURL, url: "skype:echo123")),
      data("opened page", Answer(.redirect, .external), .data(.openURL, url: "https://news.example/")),
      data("scanned copy", Answer(.block, .scanOffline), .data(.copy) { $0.inspection = .offline }) {
        $0.requiresInspection = true
      },
      Situation(
        "mixed view", Answer(.block, .mixedViewLockdown), .data(.share, in: "M", with: Name.notes, as: Name.work),
        state: { example in
          let identities = try [Name.work, Name.home].map {
            try example.state.identity($0, in: example.portal, example.snapshot)
          }
          _ = try example.state.setIdentities(identities, ofWindow: "w", in: example.portal, example.snapshot)
          try example.register(ViewerDescription("M", window: "w"))
        }),
    ]

  private static let transfers: [Situation] = [
    data("save", Answer(.allow, .locationAllowed), .data(.save, at: .sharePoint, of: "WORK@contoso.com")) {
      $0.save = LocationSettings(allowed: false, exceptions: LocationSet([.sharePoint]))
    },
    data("save, by an object id", Answer(.allow, .transferAllowed), .data(.save, owner: "6d5c", at: .box, of: "6D5C")),
    data(
      "save for an account that only a pattern takes", Answer(.block, .wrongAccount),
      .data(.save, at: .box, of: "a-rather-long-name@contoso.com")),
    data(
      "save for an account nobody knows", Answer(.block, .unknownAccount),
      .data(.save, at: .dropbox, of: "a-rather-long-name@dropbox.example")),
    data("save with a path", Answer(.allow, .transferAllowed), .data(.save, path: "/home/ada/Documents/../plan.odt")),
    data("open", Answer(.allow, .transferAllowed), .data(.open, at: .camera)),
    data("receive", Answer(.block, .incomingRestricted), .data(.receive, with: Name.editor)),
    data("share", Answer(.allow, .transferAllowed), .data(.share, with: Name.notes, as: Name.work)),
    data(
      "share with a listed program", Answer(.allow, .transferAllowed), .data(.share, with: Name.word, as: Name.work)),
    data(
      "download", Answer(.allow, .transferAllowed), .data(.download, url: "https://docs.contoso.com/a.pdf")),
    data(
      "upload", Answer(.block, .outgoingRestricted), .data(.upload, owner: Name.work, url: "https://news.example/")),
  ]

  private static func data(
    _ name: String, _ answer: Answer, _ event: Event,
    _ change: @escaping @Sendable (inout Protection) -> Void = { _ in }
  ) -> Situation {
    Situation(
      name, answer, event,
      policy: { policy in
        policy.protection.receive = .managed
        policy.protection.managedApps = [Array(Name.word.utf8)]
        change(&policy.protection)
      })
  }
}
