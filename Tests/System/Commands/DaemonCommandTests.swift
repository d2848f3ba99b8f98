import TestSupport
import Testing

/// The verbs that ask a daemon: what they send, what they make of the replies, and how they end.
@Suite struct DaemonCommandTests {
  struct Case {
    let arguments: [String]
    var socket = "admin.sock"
    var input = ""
    let replies: [[String]]
    let calls: [String]
    var output = ""
    var errors = ""
    var status: Int32 = 0
  }

  @Test(arguments: cases) func asksAndTells(_ test: Case) throws {
    let temporary = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(temporary) }
    let daemon = try Self.daemon(at: temporary + "/" + test.socket, test.replies)
    defer { daemon.stop() }
    let run = try CommandRun(
      test.arguments + ["--socket-dir", temporary], input: Array(test.input.utf8), in: CommandScript.directory,
      temporary: temporary)
    try daemon.waitUntilLeft()
    #expect(daemon.heard.map { String(decoding: $0.frame, as: UTF8.self) } == test.calls)
    #expect(run.output == test.output)
    #expect(run.errors.replacing(temporary + "/" + test.socket, with: "SOCKET") == test.errors)
    #expect(run.status == test.status)
  }

  @Test(arguments: ["", "{", "[]", #"{"error":7}"#]) func anAnswerThatIsNoneIsAnError(_ reply: String) throws {
    let temporary = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(temporary) }
    let daemon = try Self.daemon(at: temporary + "/guard.sock", [[reply]])
    defer { daemon.stop() }
    let run = try CommandRun(
      ["whoami", "--socket-dir", temporary], in: CommandScript.directory, temporary: temporary)
    #expect(run.status == 2)
    #expect(run.errors == "error: the answer is no varlink message\n")
  }

  /// A daemon that answers each call with the next of the replies, whatever it is; byte by byte, so that no reader gets away
  /// with taking a piece for a message. A call without replies is not answered.
  private static func daemon(at path: String, _ replies: [[String]]) throws -> FakeDaemon {
    try FakeDaemon(at: path) { call in
      // A command asks all on one connection, or each on its own.
      let index = call.connection + call.number - 2
      guard index < replies.count, !replies[index].isEmpty else { return .silence }
      return .dribble(replies[index].joined(separator: "\0"), every: 0)
    }
  }
}

extension DaemonCommandTests {
  static let cases = asking + administrating + reloading + calling + exceptions + accounts

  private static let asking = [
    Case(
      arguments: ["whoami"], socket: "guard.sock",
      replies: [[#"{"parameters":{"uid":1000,"groups":["staff","users"],"app":"com.contoso.portal"}}"#]],
      calls: [#"{"method":"org.webviewguard.Guard.WhoAmI","parameters":{}}"#],
      output: """
        uid     1000
        groups  staff, users
        unit    none
        label   none
        socket  none
        app     com.contoso.portal

        """),
    Case(
      arguments: ["explain", "7"], replies: [[#"{"parameters":{"steps":["viewer `E`","redirect"]}}"#]],
      calls: [#"{"method":"org.webviewguard.Rules.Explain","parameters":{"decision":"7"}}"#],
      output: "1. viewer `E`\n2. redirect\n"),
    Case(
      arguments: ["explain", "8"],
      replies: [[#"{"error":"org.webviewguard.Rules.UnknownDecision","parameters":{"decision":"8"}}"#]],
      calls: [#"{"method":"org.webviewguard.Rules.Explain","parameters":{"decision":"8"}}"#],
      errors: """
        error: org.webviewguard.Rules.UnknownDecision {"decision":"8"}
          hint: only the latest are remembered; `webviewguard log show` has the others

        """, status: 1),
    Case(
      arguments: ["monitor"],
      replies: [
        [
          #"{"parameters":{"time":1795228769000,"app":"a","viewer":"E\u202e","event":"navigate","url":"https://x/","#
            + #""decision":{"outcome":"block","reason":"external","ruleSet":"r","rule":"d"}},"continues":true}"#,
          #"{"parameters":{"time":0,"app":"a","event":"copy","decision":{"outcome":"allow","reason":"clipRecorded"},"#
            + #""skipped":3}}"#,
        ]
      ], calls: [#"{"method":"org.webviewguard.Admin.Monitor","parameters":{},"more":true}"#],
      output: """
        2026-11-21T02:39:29.000Z block external navigate E\\u{202E}@a https://x/ rule=r/d
        1970-01-01T00:00:00.000Z allow clipRecorded copy @a

        """, errors: "3 decisions were left out, because this reader was too slow\n"),
  ]

  private static let administrating = [
    Case(
      arguments: ["status", "--format", "json"], replies: [[#"{"parameters":{"state":"ok","pid":1}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Status","parameters":{}}"#],
      output: #"{"state":"ok","pid":1}"# + "\n"),
    Case(
      arguments: ["status", "--format", "json"], replies: [[#"{"parameters":{"state":"noPolicy"}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Status","parameters":{}}"#], output: #"{"state":"noPolicy"}"# + "\n",
      status: 2),
    Case(
      arguments: ["status", "--format", "json"], replies: [[#"{"parameters":{"state":"ok","lastError":"x"}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Status","parameters":{}}"#],
      output: #"{"state":"ok","lastError":"x"}"# + "\n", status: 1),
    Case(
      arguments: ["health"],
      replies: [
        [
          #"{"parameters":{"health":"degraded","problems":[{"code":"a","text":"b\u202e"},{"code":"c","text":"d"}]}}"#
        ]
      ],
      calls: [#"{"method":"org.webviewguard.Admin.Health","parameters":{}}"#],
      output: "degraded: b\\u{202E}; d\n", status: 1),
    // A word of a later version is no good news.
    Case(
      arguments: ["health"], replies: [[#"{"parameters":{"health":"splendid","problems":[]}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Health","parameters":{}}"#], output: "degraded\n", status: 1),
    Case(
      arguments: ["health"], replies: [[#"{"error":"org.varlink.service.MethodNotFound"}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Health","parameters":{}}"#],
      errors: "error: the daemon answers `org.varlink.service.MethodNotFound`\n", status: 2),
    Case(
      arguments: ["health", "--quiet"], replies: [[#"{"parameters":{"health":"failed","problems":[]}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Health","parameters":{}}"#], status: 2),
    Case(
      arguments: ["health", "--timeout", "50"], replies: [[]],
      calls: [#"{"method":"org.webviewguard.Admin.Health","parameters":{}}"#],
      errors: "error: the daemon at `SOCKET` did not answer in time\n", status: 2),
    Case(
      arguments: ["metrics"], replies: [[#"{"parameters":{"text":"webviewguard_up 1\n"}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Metrics","parameters":{}}"#], output: "webviewguard_up 1\n"),
    Case(
      arguments: ["metrics"], replies: [[#"{"error":"org.varlink.service.MethodNotFound"}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Metrics","parameters":{}}"#],
      errors: "error: this daemon tells no metrics; is it older than this program?\n", status: 2),
    Case(
      arguments: ["reload"],
      replies: [[#"{"parameters":{"generation":4,"diagnostics":["a:1:1: warning: w [x]"],"changed":true}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Reload","parameters":{}}"#],
      output: "a:1:1: warning: w [x]\nloaded, generation 4\n"),
    Case(
      arguments: ["reload"],
      replies: [
        [
          #"{"error":"org.webviewguard.Admin.LoadFailed","#
            + #""parameters":{"diagnostics":["a:1:1: error: e [x]\n  hint: h"]}}"#
        ]
      ], calls: [#"{"method":"org.webviewguard.Admin.Reload","parameters":{}}"#],
      output: "a:1:1: error: e [x]\n  hint: h\nnot loaded; the policy in force stays\n", status: 1),
  ]

  private static let preview = #"""
    "preview":{"generation":5,"digest":"d","since":0,"judged":3,"notJudged":1,"notRemembered":2,"changed":2,"loosened":1,"weighed":3,"changes":[\#
    {"app":"a","class":"c","event":"navigate","url":"https://x/","events":1,"seen":7,"lastSeen":0,\#
    "before":{"outcome":"redirect","reason":"external","target":"managedBrowser","ruleSet":"r","rule":"default"},\#
    "after":{"outcome":"allow","reason":"internal","duties":["tagAs"],"ruleSet":"r","rule":"n","ruleLocation":"f:1:2"}}]}
    """#

  private static let previewText = """
    3 recent events since 1970-01-01T00:00:00.000Z: 2 would be answered otherwise, 1 less strictly
    not judged: 1, whose programs have ended
    not remembered: 2, which were too many at once or too long

    redirect to managedBrowser (external) -> allow (internal), tagAs: seen 7 times
      before  default  r
      after   n        r  f:1:2
      a/c  navigate https://x/

    and 1 more

    """

  private static let reloading = [
    Case(
      arguments: ["reload", "--preview"],
      replies: [[#"{"parameters":{"generation":4,"diagnostics":[],"changed":false,"# + preview + "}}"]],
      calls: [#"{"method":"org.webviewguard.Admin.Reload","parameters":{"preview":true}}"#],
      output: previewText + "nothing is in force of this\n", status: 1),
    Case(
      arguments: ["reload", "--preview", "--wait"],
      replies: [
        [#"{"error":"org.webviewguard.Admin.LoadFailed","parameters":{"diagnostics":["a:1:1: error: e [x]"]}}"#]
      ],
      calls: [#"{"method":"org.webviewguard.Admin.Reload","parameters":{"preview":true}}"#],
      output: "a:1:1: error: e [x]\ncannot be loaded\n", status: 2),
    Case(
      arguments: ["reload", "--max-change", "5%", "--force"],
      replies: [[#"{"error":"org.webviewguard.Admin.TooManyChanges","parameters":{"maximum":1,"# + preview + "}}"]],
      calls: [#"{"method":"org.webviewguard.Admin.Reload","parameters":{"maxChangePercent":5,"force":true}}"#],
      output: previewText + "not loaded: more than 1 answers would be less strict; the policy in force stays\n",
      status: 1),
    Case(
      arguments: ["reload", "--max-change", "0", "--wait", "--timeout", "1"],
      replies: [[#"{"parameters":{"generation":4,"diagnostics":[],"changed":true}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Reload","parameters":{"maxChange":0}}"#],
      output: "loaded, generation 4\n"),
    Case(
      arguments: ["reload"], replies: [[#"{"error":"org.webviewguard.Admin.RolledBack","parameters":{"digest":"d"}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Reload","parameters":{}}"#],
      output: """
        not loaded: this configuration was rolled back from; `webviewguard reload --force` loads it all the same

        """, status: 1),
    Case(
      arguments: ["rollback", "--to", "01234567"],
      replies: [[#"{"parameters":{"generation":6,"digest":"0123456789","diagnostics":[],"changed":true}}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Rollback","parameters":{"to":"01234567"}}"#],
      output: "rolled back, generation 6, digest 0123456789\n"),
    Case(
      arguments: ["rollback"], replies: [[#"{"error":"org.webviewguard.Admin.NothingToRollBackTo"}"#]],
      calls: [#"{"method":"org.webviewguard.Admin.Rollback","parameters":{}}"#],
      errors: """
        error: org.webviewguard.Admin.NothingToRollBackTo {}
          hint: no other policy is kept yet; `webviewguard status` lists those that are

        """, status: 1),
  ]

  private static let calling = [
    Case(
      arguments: ["call", "Navigate", #"{"event":{"url":"https://x/"}}"#, "--app", "a"], socket: "guard.sock",
      replies: [[#"{"parameters":{"instance":"t"}}"#], [#"{"parameters":{"decision":{"outcome":"allow"}}}"#]],
      calls: [
        #"{"method":"org.webviewguard.Guard.Attach","parameters":{"app":"a"}}"#,
        #"{"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"url":"https://x/"}}}"#,
      ], output: #"{"decision":{"outcome":"allow"}}"# + "\n"),
    Case(
      arguments: ["call", "WhoAmI", "--instance", "t", "-v"], socket: "guard.sock",
      replies: [[#"{"parameters":{"instance":"t"}}"#], ["{}"]],
      calls: [
        #"{"method":"org.webviewguard.Guard.Attach","parameters":{"instance":"t"}}"#,
        #"{"method":"org.webviewguard.Guard.WhoAmI","parameters":{}}"#,
      ], output: "{\"instance\":\"t\"}\n{}\n"),
    Case(
      arguments: ["call", "WhoAmI", "--app", "a"], socket: "guard.sock",
      replies: [[#"{"error":"org.webviewguard.Guard.NoApp"}"#]],
      calls: [#"{"method":"org.webviewguard.Guard.Attach","parameters":{"app":"a"}}"#],
      errors: """
        error: org.webviewguard.Guard.NoApp {}
          hint: no app's `peers` speak of you; `webviewguard whoami` shows what the daemon sees

        """, status: 1),
    Case(
      arguments: ["call", "DragEnd", #"{"event":{}}"#, "--oneway"], socket: "guard.sock", replies: [],
      calls: [#"{"method":"org.webviewguard.Guard.DragEnd","parameters":{"event":{}},"oneway":true}"#]),
    Case(
      arguments: ["call", "-"], socket: "guard.sock", input: "WhoAmI\n\nForgetViewer {\"viewer\":\"Q\"}\r\n GetInfo\n",
      replies: [[#"{"parameters":{"uid":1}}"#], [#"{"error":"a.B"}"#], [#"{"parameters":null}"#]],
      calls: [
        #"{"method":"org.webviewguard.Guard.WhoAmI","parameters":{}}"#,
        #"{"method":"org.webviewguard.Guard.ForgetViewer","parameters":{"viewer":"Q"}}"#,
        #"{"method":"org.varlink.service.GetInfo","parameters":{}}"#,
      ], output: "{\"uid\":1}\n{\"error\":\"a.B\",\"parameters\":{}}\n{}\n", status: 1),
    Case(
      arguments: ["call", "WhoAmI"], socket: "guard.sock", replies: [[#"{"error":"a.B","parameters":{"t":"\u202e"}}"#]],
      calls: [#"{"method":"org.webviewguard.Guard.WhoAmI","parameters":{}}"#],
      errors: "error: a.B {\"t\":\"\\u202e\"}\n", status: 1),
  ]
}
