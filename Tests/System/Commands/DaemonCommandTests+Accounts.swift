extension DaemonCommandTests {
  private static let enrolled =
    #"{"uid":0,"app":"com.contoso.portal","account":"work@contoso.com","state":"enrolled","managed":true,"#
    + #""protection":"standard","sources":["broker","app"],"result":"unchanged","registered":1795228769000,"#
    + #""enrolled":1795228769000,"checkedIn":1795228770000,"tried":1795228770000,"forgotten":1803004770000,"#
    + #""instances":1}"#

  private static let waiting =
    #"{"uid":4242424,"app":"com.contoso.mail","account":"new@contoso.com","state":"registered","managed":true,"#
    + #""sources":[],"result":"notSignedIn","registered":1795228769000,"retry":1795315169000,"#
    + #""reason":"policyRequired","tried":1795228769000,"forgotten":1803004769000,"encryption":"volume","instances":0}"#

  private static let word =
    #"{"uid":0,"source":"broker","accounts":["work@contoso.com"],"time":1795228769000,"until":1795833569000}"#

  private static let both = #"{"parameters":{"accounts":[\#(enrolled),\#(waiting)],"signIns":[\#(word)]}}"#
  private static let none = #"{"parameters":{"accounts":[],"signIns":[]}}"#
  private static let all = #"{"method":"org.webviewguard.Admin.Accounts","parameters":{}}"#

  static let accounts = seeing + ending + rotating

  private static let seeing = [
    Case(
      arguments: ["account", "list"], replies: [[both]], calls: [all],
      output: """
        USER         APP                 ACCOUNT           STATE       REASON          ENROLLED\
                          CHECKED IN
        root         com.contoso.portal  work@contoso.com  enrolled    none            \
        2026-11-21T02:39:29.000Z  2026-11-21T02:39:30.000Z
        uid 4242424  com.contoso.mail    new@contoso.com   registered  policyRequired  never                     never

        """),
    Case(
      arguments: ["account", "list", "--app", "com.contoso.portal", "--user", "root", "--format", "json"],
      replies: [[#"{"parameters":{"accounts":[],"signIns":[\#(word)]}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Accounts","parameters":{"app":"com.contoso.portal","uid":0}}"#],
      output: #"{"accounts":[],"signIns":["#
        + word.replacing(#""uid":0,"#, with: #""uid":0,"user":"root","#) + "]}\n"),
    Case(
      arguments: ["account", "list", "--user", "4242424"], replies: [[none]],
      calls: [#"{"method":"org.webviewguard.Admin.Accounts","parameters":{"uid":4242424}}"#], output: "none\n"),
    Case(
      arguments: ["account", "list", "--user", "rooot"], replies: [[both]], calls: [all],
      errors: "error: this machine has no user `rooot`\n  hint: did you mean `root`?\n", status: 2),
    Case(
      arguments: ["account", "state"], replies: [[both]], calls: [all],
      output: """
        STATE       REASON          ACCOUNT                                             WHAT HELPS
        enrolled    none            work@contoso.com of root in com.contoso.portal      nothing: it may work
        registered  policyRequired  new@contoso.com of uid 4242424 in com.contoso.mail  \
        uid 4242424 signs in with it; or its source in `accounts.source` of com.contoso.mail says so

        """, status: 1),
    Case(
      arguments: ["account", "show", "wrk@contoso.com", "--app", "com.contoso.portal"], replies: [[none], [both]],
      calls: [
        #"{"method":"org.webviewguard.Admin.Accounts","#
          + #""parameters":{"app":"com.contoso.portal","account":"wrk@contoso.com"}}"#, all,
      ],
      errors: """
        error: there is no account `wrk@contoso.com` for app `com.contoso.portal`
          hint: did you mean `work@contoso.com`?

        """, status: 1),
    Case(
      arguments: ["account", "show", "NEW@contoso.com"],
      replies: [[#"{"parameters":{"accounts":[\#(waiting)],"signIns":[\#(word)]}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Accounts","parameters":{"account":"NEW@contoso.com"}}"#],
      output: """
        account        new@contoso.com
        user           uid 4242424
        app            com.contoso.mail
        state          registered
        reason         policyRequired
        what helps     uid 4242424 signs in with it; or its source in `accounts.source` of com.contoso.mail says so
        protection     none
        encryption     volume
        sources        none
        latest result  notSignedIn (211)
        registered     2026-11-21T02:39:29.000Z
        enrolled       never
        last attempt   2026-11-21T02:39:29.000Z
        last check-in  never
        next attempt   2026-11-22T02:39:29.000Z
        forgotten      2027-02-19T02:39:29.000Z
        running        0

        """),
  ]

  private static let order = [
    "account", "deregister", "new@contoso.com", "--app", "com.contoso.mail", "--user", "4242424",
  ]
  private static let call =
    #"{"method":"org.webviewguard.Admin.DeregisterAccount","parameters":{"account":"new@contoso.com","#
    + #""app":"com.contoso.mail","uid":4242424,"reason":"left"}}"#

  private static let rotation = ["account", "rotate-key", "new@contoso.com", "--user", "4242424", "--reason"]
  private static let rotationCall =
    #"{"method":"org.webviewguard.Admin.RotateAccountKey","parameters":{"account":"new@contoso.com","#
    + #""uid":4242424,"reason":"as every year"}}"#

  private static let rotating = [
    Case(
      arguments: rotation + ["as every year"],
      replies: [[#"{"parameters":{"account":"new@contoso.com","keyId":"0c0d"}}"#]], calls: [rotationCall],
      output: """
        new key: new@contoso.com of uid 4242424 seals with 0c0d
        data that was sealed before stays readable

        """),
    Case(
      arguments: rotation + ["as every year", "--format", "json"],
      replies: [[#"{"parameters":{"account":"new@contoso.com","keyId":"0c0d"}}"#]], calls: [rotationCall],
      output: #"{"account":"new@contoso.com","keyId":"0c0d"}"# + "\n"),
    Case(
      arguments: rotation + ["as every year"],
      replies: [
        [
          #"{"error":"org.webviewguard.Admin.AccountRefused","#
            + #""parameters":{"why":"noKey","explanation":"it has none"}}"#
        ]
      ],
      calls: [rotationCall], errors: "error: not done: it has none [noKey]\n", status: 1),
  ]

  private static let ending = [
    Case(
      arguments: order + ["--reason", "left"],
      replies: [[#"{"parameters":{"account":"new@contoso.com","state":"suspended","result":"unenrolled"}}"#]],
      calls: [call],
      output: """
        ended: com.contoso.mail of uid 4242424 has no access to new@contoso.com until it registers it again
        to keep it out for good, state `state: blocked` for the account in the policy

        """),
    Case(
      arguments: order + ["--reason", "left"],
      replies: [
        [
          #"{"error":"org.webviewguard.Admin.AccountRefused","#
            + #""parameters":{"why":"ended","explanation":"the app's access has ended\u202ealready"}}"#
        ]
      ],
      calls: [call], errors: "error: not done: the app's access has ended\\u{202E}already [ended]\n", status: 1),
    Case(
      arguments: order + ["--reason", "left"],
      replies: [
        [
          #"{"error":"org.webviewguard.Admin.AccountRefused","#
            + #""parameters":{"why":"unknownAccount","explanation":"the app of this person has no such account"}}"#
        ],
        [#"{"parameters":{"accounts":[\#(waiting.replacing("new@", with: "news@"))],"signIns":[]}}"#],
      ],
      calls: [call, all],
      errors: """
        error: not done: the app of this person has no such account [unknownAccount]
          hint: did you mean `news@contoso.com`?

        """, status: 1),
    Case(
      arguments: ["status", "--accounts", "--format", "json"],
      replies: [[#"{"parameters":{"state":"ok","health":"ok"}}"#], [both]],
      calls: [#"{"method":"org.webviewguard.Admin.Status","parameters":{}}"#, all],
      output: #"{"state":"ok","health":"ok","accounts":{"counts":{"registered":1,"enrolled":1},"mayNotWork":["#
        + waiting + "]}}\n"),
  ]
}
