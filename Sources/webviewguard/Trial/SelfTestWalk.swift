internal import ArgumentParser
internal import Glibc
internal import Platform

/// Has a program go all ways. A page goes one way, is told the next, and so on, until the program shows something else in its
/// place, such as a notice. A second window of the program then leads the first one on, where pages can open windows; else the
/// program is started anew.
final class SelfTestWalk {
  private let run: SelfTestRun
  private let ways: [SelfTestWay]
  /// How long the longest way to the own host took, and each of them.
  private var longest: Int64 = 250
  private var took: [String: Int64] = [:]
  /// A second window may lead on.
  private var hasHelper = false

  /// So many starts in a row that load no page are enough.
  private static let mostFailures = 3
  /// The milliseconds that a page has which another window leads to.
  private var leadMost: Int64 { max(4000, run.milliseconds / 2) }
  /// So long may what arrives together be apart.
  private var pause: Int64 { max(1500, run.milliseconds / 4) }
  private static let lateTurns = 50

  /// - Parameter ways: those that are meant.
  init(_ run: SelfTestRun, _ ways: [SelfTestWay]) { (self.run, self.ways) = (run, ways) }

  /// First each way to the own host: one that does not arrive there needs not be gone to another.
  func goAllWays() throws {
    let isWhole = ways.count == SelfTestWay.all.count
    let steps = isWhole ? SelfTestStep.all : ways.map { SelfTestStep($0) }
    try walkAll(steps, to: .own)
    try walk(unknown(steps.flatMap(\.ways).filter { $0.isShared }, at: .own), to: .own)
    for host in SelfTestHost.allCases where host != .own {
      let gone = ways.filter(run.site.isGone)
      try walkAll(steps.filter { $0.ways.contains(where: run.site.isGone) }, to: host)
      // Once more, each in a start of its own.
      for step in unknown(gone, at: host) where try walk([step], to: host, alone: true) == 0 { break }
    }
    // What a program sends late, or one that could not be ended, counts as well.
    for _ in 0..<Self.lateTurns { run.server?.turn(milliseconds: 20) }
    try run.checkDaemon()
  }

  /// Each download in a start of its own: Chromium refuses a page's second one, and nobody would know who stopped it.
  private func walkAll(_ steps: [SelfTestStep], to host: SelfTestHost) throws {
    try walk(steps.filter { !$0.isDownload }, to: host)
    for step in steps where step.isDownload {
      if try walk([step], to: host, alone: true) == 0 { break }
    }
  }

  private func unknown(_ ways: [SelfTestWay], at host: SelfTestHost) -> [SelfTestStep] {
    ways.filter { !run.site.isTried(SelfTestTrip(way: $0.name, host: host)) }.map { SelfTestStep($0) }
  }

  /// Starts the program until it has gone all steps; returns how many it went.
  @discardableResult
  private func walk(_ steps: [SelfTestStep], to host: SelfTestHost, alone: Bool = false) throws -> Int {
    var (rest, failures, all) = (steps[...], 0, 0)
    while !rest.isEmpty, failures < Self.mostFailures {
      let isLed = hasHelper && host != .own && !alone && rest.count > 1
      let count = try start(rest, to: host, isLed: isLed)
      all += count
      if count == 0, isLed {
        hasHelper = false
        continue
      }
      failures = count == 0 ? failures + 1 : 0
      rest = rest.dropFirst(max(1, count))
    }
    return all
  }

  /// One start of the program, with as many steps as it goes; returns their number.
  private func start(_ steps: ArraySlice<SelfTestStep>, to host: SelfTestHost, isLed: Bool) throws -> Int {
    run.site.beginStart()
    guard let first = steps.first else { return 0 }
    let url = isLed ? run.site.beginning : run.site.url(of: first, to: host)
    let child = try TrialProgram.start(run.program, at: run.place, url: url, family: run.family)
    defer { child.stop() }
    if isLed {
      let begun = try wait(run.milliseconds, child) { $0.waits(SelfTestSite.beginningPlace) }
      guard begun, try wait(pause, child, until: { $0.waits(SelfTestSite.helperPlace) }) else { return 0 }
    }
    var (count, place) = (0, isLed ? SelfTestSite.beginningPlace : nil as String?)
    for step in steps {
      if let place, try !lead(from: place, to: step, at: host, child) { break }
      let most = hasHelper && count > 0 ? leadMost : run.milliseconds
      let began = SystemClock.monotonicMilliseconds
      guard try wait(most, child, until: { $0.isLoaded(step, to: host, since: began - 50) }) else {
        if count > 0, hasHelper { hasHelper = false }
        break
      }
      try judge(step, to: host, child)
      count += 1
      place = run.site.place(of: step, to: host)
    }
    // What was sent before it ended.
    for _ in 0..<5 { run.server?.turn(milliseconds: 10) }
    return count
  }

  /// Tells the program's page where to go, or its other window, once its page is another one.
  private func lead(
    from place: String, to step: SelfTestStep, at host: SelfTestHost, _ child: TrialProgram
  ) throws -> Bool {
    let helper = SelfTestSite.helperPlace
    // Some engines end what a page waits for as soon as it goes elsewhere; it asks again a moment later.
    let most = host == .own ? pause : 400
    guard try wait(most, child, until: { $0.waits(place) || $0.waits(helper) }) else { return false }
    let who = run.site.waits(place) ? place : helper
    run.site.send(who, to: run.site.url(of: step, to: host))
    return true
  }

  /// Waits until it is known what becomes of a step.
  private func judge(_ step: SelfTestStep, to host: SelfTestHost, _ child: TrialProgram) throws {
    let trips = run.site.trips(step, to: host)
    let began = SystemClock.monotonicMilliseconds
    while SystemClock.monotonicMilliseconds < limit(step, host, began) {
      if try turn(child) {
        run.site.note(endAt: step, to: host)
        break
      }
      if trips.allSatisfy({ run.site.arrivals[$0] != nil }) { break }
    }
    guard host == .own else { return }
    if let last = trips.compactMap({ run.site.arrivals[$0] }).max() {
      took[step.name] = max(0, last - began)
      longest = max(longest, last - began)
    }
    if step.name == "window-open", run.site.arrivals[trips[0]] != nil {
      let place = run.site.place(of: step, to: host)
      hasHelper = try wait(pause, child) { $0.waits(place) }
    }
  }

  /// When the wait for a step is over.
  private func limit(_ step: SelfTestStep, _ host: SelfTestHost, _ began: Int64) -> Int64 {
    let trips = run.site.trips(step, to: host)
    func last(_ times: [SelfTestTrip: Int64]) -> Int64? { trips.compactMap { times[$0] }.max() }
    let most = began + run.milliseconds
    guard host == .own else {
      // What must not arrive is waited for longer than what may. An answer of the daemon ends that.
      let own = took[step.name] ?? longest
      if step.ways.count == 1, let asked = last(run.site.questions) { return min(most, asked + own + 500) }
      return min(most, began + own * 2 + pause)
    }
    guard let acted = last(run.site.acts) else { return most }
    return min(most, max(acted, last(run.site.arrivals) ?? 0) + max(pause, longest * 3))
  }

  // MARK: Waiting

  private func wait(
    _ most: Int64, _ child: TrialProgram, until isSo: (SelfTestSite) -> Bool
  ) throws -> Bool {
    let end = SystemClock.monotonicMilliseconds + most
    while !isSo(run.site) {
      if try turn(child) || SystemClock.monotonicMilliseconds > end { return isSo(run.site) }
    }
    return true
  }

  /// Lets a moment pass; returns whether the program has ended.
  private func turn(_ child: TrialProgram) throws -> Bool {
    let isGone = child.isGone
    run.server?.turn(milliseconds: 20)
    if Interruption.hasCome { throw ExitCode(Interruption.status) }
    return isGone
  }
}
