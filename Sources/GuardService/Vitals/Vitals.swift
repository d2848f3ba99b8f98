internal import CLinux
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import Platform
internal import PolicyEngine

/// The daemon's facts about itself: its counters, the last decisions and events, and its reports to a service manager.
struct Vitals: ~Copyable {
  let version: String
  /// In milliseconds since 1970.
  let startedAt = SystemClock.milliseconds
  var metrics = GuardMetrics()
  /// The last decisions, for `explain`.
  var recent = RecentDecisions()
  /// Events that a preview of another policy judges.
  let recentEvents = RecentEvents(at: SystemClock.milliseconds)
  var supervision = Supervision()
  /// Seconds since the start.
  private(set) var ticks = 0
  /// The codes of previews of wipes.
  var wipeOffers = WipeOffers()
  /// Tells whether a time service keeps the clock right: only such time counts towards a destruction.
  var clockIsSynchronised: @Sendable () -> Bool = { clock_is_synchronised() == 1 }
  /// Milliseconds since the boot of a machine whose clock is right and that runs as a test says; nil for this machine.
  var drivenUptime: UInt64?
  /// Milliseconds since the boot, when wipes were last let run.
  private var ranUntil: UInt64?

  /// The running time since the last call.
  mutating func running(isCheckedIn: Bool) -> RunningTime {
    let uptime = drivenUptime ?? SystemClock.uptime
    defer { ranUntil = uptime }
    return RunningTime(
      elapsed: uptime - min(ranUntil ?? uptime, uptime), sinceBoot: uptime,
      isSynchronised: drivenUptime != nil || clockIsSynchronised(), isCheckedInSinceBoot: isCheckedIn)
  }

  /// Milliseconds since the boot, when the orders of wipes were last looked for.
  private var ordersLookedForAt: UInt64 = 0

  /// True once a minute: somebody may have deleted an order.
  mutating func looksForOrders(at uptime: UInt64) -> Bool {
    guard uptime >= ordersLookedForAt + 60_000 else { return false }
    ordersLookedForAt = uptime
    return true
  }

  /// Facts for conditions are being read.
  var isReadingFacts = false
  /// How often they were read.
  var factReadings = 0
  /// When facts were read last because an app wanted an account to be looked at, in milliseconds since 1970.
  var lookedAt: UInt64 = 0
  /// The problems of posture files, one line each.
  var postureProblems: [String] = []

  init(version: String) { self.version = version }

  /// A second has passed; true once a minute.
  mutating func tick() -> Bool {
    ticks += 1
    return ticks % 60 == 0
  }

  /// Another policy is in force.
  mutating func adopt(_ snapshot: Snapshot, after before: Snapshot) {
    metrics.adopt(snapshot, after: before)
    recentEvents.adopt(snapshot)
  }

  // MARK: Metrics

  /// The first families of `Metrics`: the service, its decisions, and the calls that failed.
  func describe(_ text: inout MetricsText, _ health: HealthReply, _ snapshot: Snapshot) {
    describeService(&text, health)
    describeDecisions(&text)
    describeRules(&text, snapshot)
    text.family("webviewguard_refused_calls_total", .counter, "Calls answered with an error, by its name.")
    for refusal in metrics.refusals {
      text.sample("webviewguard_refused_calls_total", ["error": "\(refusal.error)"], refusal.count)
    }
    text.single(
      "webviewguard_unreadable_messages_total", .counter, "Messages that ended their connection.",
      metrics.unreadableMessages)
  }

  private func describeService(_ text: inout MetricsText, _ health: HealthReply) {
    text.single("webviewguard_up", .gauge, "Whether the daemon answers.", 1)
    text.family("webviewguard_build_info", .gauge, "The version of the daemon.")
    text.sample("webviewguard_build_info", ["version": version], 1)
    text.family("webviewguard_start_time_seconds", .gauge, "When the daemon started, in seconds since 1970.")
    text.sample("webviewguard_start_time_seconds", seconds: startedAt)
    text.single(
      "webviewguard_health", .gauge, "The exit status of `webviewguard health`: 0 ok, 1 degraded, 2 failed.",
      UInt64(health.level.number))
    text.family("webviewguard_problem", .gauge, "Whether the daemon has this problem.")
    let codes = Set(health.problems.map(\.code))
    for code in HealthProblemCode.allCases {
      text.sample("webviewguard_problem", ["problem": code.rawValue], codes.contains(code) ? 1 : 0)
    }
    let process = ProcessFigures()
    text.single(
      "webviewguard_resident_memory_bytes", .gauge, "Memory of the daemon that is resident.", process.residentBytes)
    text.single("webviewguard_open_fds", .gauge, "Open files of the daemon.", process.openFiles)
    text.single("webviewguard_max_fds", .gauge, "How many files the daemon may have open.", process.maximumFiles)
  }

  private func describeDecisions(_ text: inout MetricsText) {
    text.family("webviewguard_decisions_total", .counter, "Decisions answered, repeated ones included.")
    for outcome in Outcome.allCases {
      for reason in Reason.allCases where metrics[outcome, reason] > 0 {
        text.sample(
          "webviewguard_decisions_total", ["outcome": outcome.name, "reason": reason.rawValue],
          metrics[outcome, reason])
      }
    }
    text.single(
      "webviewguard_repeated_decisions_total", .counter, "Decisions that repeated the one before for the same action.",
      metrics.repeated)
    text.family(
      "webviewguard_advised_decisions_total", .counter,
      "What would have been answered where the policy only monitors, by outcome.")
    for outcome in Outcome.allCases {
      let count = metrics.advised[Int(outcome.rawValue)]
      if count > 0 { text.sample("webviewguard_advised_decisions_total", ["outcome": outcome.name], count) }
    }
    text.histogram("webviewguard_deciding_seconds", "From the question to the decision.", metrics.deciding)
    text.histogram(
      "webviewguard_answering_seconds", "From the question to the moment its answer leaves.", metrics.answering)
  }

  private func describeRules(_ text: inout MetricsText, _ snapshot: Snapshot) {
    let rows = metrics.ruleHits(in: snapshot)
    text.family(
      "webviewguard_rule_hits_total", .counter,
      "Decisions by rule, of the policy in force and the one before; rules beyond the first 500 hit are `other`.")
    for row in rows.rules {
      let labels = row.labels
      text.sample(
        "webviewguard_rule_hits_total",
        ["rule_set": labels[0], "rule": labels[1], "verdict": labels[2], "generation": labels[3]], row.count)
    }
    text.family(
      "webviewguard_rule_set_fall_throughs_total", .counter, "Decisions that no rule of the rule set spoke of.")
    for row in rows.defaults {
      let labels = row.labels
      text.sample(
        "webviewguard_rule_set_fall_throughs_total",
        ["rule_set": labels[0], "verdict": labels[1], "generation": labels[2]], row.count)
    }
  }

  /// - Parameter held: replies that wait now.
  func describeRounds(_ text: inout MetricsText, held: Int) {
    text.single("webviewguard_held_replies", .gauge, "Replies that wait for the log.", UInt64(clamping: held))
    text.single(
      "webviewguard_held_replies_most", .gauge, "Most replies that waited at one time.",
      UInt64(clamping: metrics.mostHeld))
    text.family(
      "webviewguard_round_work_most", .gauge,
      "Most work, in questions, between two looks at the sockets, by how many users asked.")
    text.sample("webviewguard_round_work_most", ["users": "any"], UInt64(clamping: metrics.mostWork.inAll))
    text.sample("webviewguard_round_work_most", ["users": "several"], UInt64(clamping: metrics.mostWork.ofSeveral))
  }
}

/// System resources of this process, from /proc; 0 if that is not readable.
struct ProcessFigures {
  let residentBytes: UInt64
  let openFiles: UInt64
  let maximumFiles: UInt64

  init() {
    let statm = SmallFile.text(at: "/proc/self/statm", maximum: 256)?.split(separator: " ") ?? []
    residentBytes = (statm.count > 1 ? UInt64(statm[1]) ?? 0 : 0) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
    // Without the one that the counting itself needs.
    openFiles = UInt64(max(1, (try? Directory.names(in: "/proc/self/fd").count) ?? 0) - 1)
    var limit = rlimit()
    let known = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    maximumFiles = known ? UInt64(limit.rlim_cur) : 0
  }
}
