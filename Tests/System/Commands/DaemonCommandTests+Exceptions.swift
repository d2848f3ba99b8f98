extension DaemonCommandTests {
  private static let granted =
    #"{"id":"k7m2q9xw","host":"files.example","subjects":["page","frame","resource"],"reason":"a tender","#
    + #""since":1795228769000,"until":1795235969000,"uid":1000,"user":"alice"}"#

  private static let ended =
    #"{"id":"00000001","domain":"b.example","app":"a","account":"w@b","subjects":["page","download"],"#
    + #""reason":"a supplier","since":1,"until":2000,"uid":7,"ended":"removed","endedAt":1000,"endedBy":0}"#

  private static let shortest = ["exception", "add", "--host", "files.example", "--for", "2h", "--reason", "a tender"]

  static let exceptions = granting + listing

  private static let granting = [
    Case(
      arguments: shortest, replies: [[#"{"parameters":{"exception":\#(granted),"generation":8}}"#]],
      calls: [
        #"{"method":"org.webviewguard.Admin.AddException","#
          + #""parameters":{"host":"files.example","seconds":7200,"reason":"a tender"}}"#
      ],
      output: "granted k7m2q9xw: host files.example, until 2026-11-21T04:39:29.000Z\n"),
    Case(
      arguments: [
        "exception", "add", "--domain", "b.example", "--app", "a", "--account", "w@b", "--subject", "page",
        "--subject", "download", "--for", "30m", "--reason", "r", "--until-restart", "--format", "json",
      ], replies: [[#"{"parameters":{"exception":{},"generation":8}}"#]],
      calls: [
        #"{"method":"org.webviewguard.Admin.AddException","parameters":{"domain":"b.example","app":"a","#
          + #""account":"w@b","subjects":["page","download"],"seconds":1800,"reason":"r","untilRestart":true}}"#
      ],
      output: #"{"exception":{},"generation":8}"# + "\n"),
    Case(
      arguments: shortest,
      replies: [
        [
          #"{"error":"org.webviewguard.Admin.ExceptionRefused","#
            + #""parameters":{"why":"noState","explanation":"nothing outlives the daemon now"}}"#
        ]
      ],
      calls: [
        #"{"method":"org.webviewguard.Admin.AddException","#
          + #""parameters":{"host":"files.example","seconds":7200,"reason":"a tender"}}"#
      ],
      errors: "error: not granted: nothing outlives the daemon now [noState]\n", status: 1),
  ]

  private static let listing = [
    Case(
      arguments: ["exception", "list", "--all"],
      replies: [[#"{"parameters":{"exceptions":[\#(granted),\#(ended)]}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.ListExceptions","parameters":{"all":true}}"#],
      output: """
        ID        SITE                FOR                    UNTIL                                BY     REASON
        k7m2q9xw  host files.example  all                    2026-11-21T04:39:29.000Z             alice  a tender
        00000001  domain b.example    a, w@b, page+download  taken back 1970-01-01T00:00:01.000Z  uid 7  a supplier

        """),
    Case(
      arguments: ["exception", "list"], replies: [[#"{"parameters":{"exceptions":[]}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.ListExceptions","parameters":{}}"#], output: "none\n"),
    Case(
      arguments: ["exception", "remove", "k7m2q9xw"],
      replies: [[#"{"parameters":{"exception":\#(granted),"generation":9}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.RemoveException","parameters":{"id":"k7m2q9xw"}}"#],
      output: "taken back k7m2q9xw: host files.example\n"),
    Case(
      arguments: ["exception", "remove", "1"],
      replies: [[#"{"error":"org.webviewguard.Admin.UnknownException","parameters":{"id":"1"}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.RemoveException","parameters":{"id":"1"}}"#],
      errors: "error: no such exception is in force; `webviewguard exception list` shows those that are\n", status: 1),
  ]
}
