package import DecisionLog
package import GuardModel
package import GuardProtocol
internal import JSONText
internal import Platform
package import PolicyEngine
package import PolicyFiles

/// Judges the lines of `decide`, one answer a line.
///
/// Plain lines belong to one instance of one app. Records of a log bring their own apps and instances; state of an
/// instance that is unknown, because a record was skipped, makes its later decisions unknown, too.
package struct OfflineReplay: ~Copyable {
  private var offline: OfflineGuard
  private let app: String?
  private let features: ClientFeatures
  private let least: Replayability
  private let accounts: RecordedAccounts
  private var ownCaller: Caller?
  private var instances: [String: RunningInstance] = [:]
  /// Ids of the log that the daemon gave, of clips, of proposals and of switches, and their names here.
  private var ids: [String: String] = [:]
  private var life = RecordedLife()

  private struct RunningInstance {
    let caller: Caller
    let app: String
    let uid: UInt32?
    /// Parts of its state that are unknown, since a change was skipped: `setIdentity window w-1`. The next change of
    /// the same makes it known again.
    var uncertain: Set<String> = []
  }

  /// - Parameters:
  ///   - limits: the caps of the configuration, and how long a switch of identity may take.
  ///   - features: capabilities of the app of plain lines.
  ///   - places: where the policy's values were stated, for explanations.
  ///   - recorded: the policy that records were written under, when it is another one.
  ///   - compared: another policy that judges the same records.
  ///   - lists: the list files that its rules name, for explanations.
  ///   - bindings: the log's bindings of its pseudonyms, after an earlier look at it.
  package init(
    _ snapshot: Snapshot, limits: StateLimits = StateLimits(), app: String?, features: ClientFeatures = [],
    explains: Bool,
    places: PolicyPlaces = PolicyPlaces(), lists: [ListFile] = [],
    recorded: Snapshot? = nil, compared: Snapshot? = nil, least: Replayability, key: AccountPseudonyms?,
    bindings: RecordedBindings? = nil
  ) {
    offline = OfflineGuard(snapshot, limits: limits, explains: explains, places: places, lists: lists)
    self.app = app
    self.features = features
    self.least = least
    accounts = RecordedAccounts(snapshot, recorded: recorded ?? snapshot, compared: compared ?? snapshot, key, bindings)
  }

  /// The answer to a line; throws `CommandFailure` only when there is no app to ask as.
  package mutating func answer(_ line: Span<UInt8>) throws -> ReplayAnswer {
    let read: DecideLine
    do throws(LineProblem) { read = try DecideLine(try DecideLine.tree(of: line)) } catch {
      return .invalid(error.text)
    }
    return try answer(read)
  }

  /// The answer to a line that was read.
  mutating func answer(_ line: DecideLine) throws -> ReplayAnswer {
    do {
      switch line {
      case .call(let frame):
        return .answer(try offline.answer(frame, as: try callerOfPlainLines(), at: SystemClock.milliseconds))
      case .record(let tree): return try judge(tree)
      }
    } catch let problem as LineProblem {
      return .invalid(problem.text)
    } catch let error as any CallError {
      return .error(error)
    }
  }

  private mutating func callerOfPlainLines() throws -> Caller {
    if let ownCaller { return ownCaller }
    let names = offline.snapshot.apps.map(\.name)
    guard let name = app ?? (names.count == 1 ? names.first : nil) else {
      throw CommandFailure("the policy has \(names.count) apps; choose one with --app: \(names.quotedList)")
    }
    guard names.contains(name) else {
      throw CommandFailure("the policy has no app \(name.quoted), but \(names.quotedList)")
    }
    let running = try offline.attach(app: name, features: features)
    ownCaller = running
    return running
  }

  // MARK: Records

  private mutating func judge(_ tree: JSONTree) throws -> ReplayAnswer {
    let key = (tree["app"]?.string ?? "") + "\u{0}" + (tree["instance"]?.string ?? "")
    do throws(LineProblem) {
      let call = try RecordedCall(tree, atLeast: least)
      offline.tick(at: call.time)
      if call.isDecision {
        try accounts.check(tree)
        let running = instances[key]
        try life.check(tree, needsEnrollment: running.map { offline.needsEnrollment($0.caller) } ?? false)
      }
      let answer = try judge(call, key)
      if let problem = call.problem { throw problem }
      if let part = tree.changedPart { instances[key]?.uncertain.remove(part) }
      return answer
    } catch {
      if let part = tree.changedPart { instances[key]?.uncertain.insert(part) }
      return .skipped(error.text)
    }
  }

  private mutating func judge(_ call: RecordedCall, _ key: String) throws(LineProblem) -> ReplayAnswer {
    if let app, app != call.app { throw LineProblem("it belongs to the app \(call.app.quoted)") }
    switch call.kind {
    case .account(let step):
      try take(step, of: call)
      return .done
    case .attach(let features):
      instances[key] = try instance(call, features)
      return .done
    case .instanceEnd:
      guard let running = instances.removeValue(forKey: key) else { throw LineProblem("the instance is not known") }
      offline.end(running.caller)
      return .done
    case .call(let method, let parameters):
      if instances[key] == nil { instances[key] = try instance(call) }
      guard let running = instances[key] else { throw LineProblem("the instance is not known") }
      return try judge(call, method, parameters, running)
    }
  }

  private mutating func judge(
    _ call: RecordedCall, _ method: GuardMethod, _ parameters: JSONTree, _ running: RunningInstance
  ) throws(LineProblem) -> ReplayAnswer {
    if call.isDecision {
      guard running.uncertain.isEmpty else {
        throw LineProblem("a change before it was skipped, so the state is not known")
      }
      if let viewer = call.knownViewer, !offline.knows(viewer: viewer, of: running.caller) {
        throw LineProblem("the viewer \(viewer.quoted) is not registered: that record is missing")
      }
    }
    let frame = DecideLine.frame(
      method, parameters: try accounts.resolve(ids.renaming(parameters), unknown: call.unknownAccounts))
    do {
      let answer = try offline.answer(frame, as: running.caller, at: call.time)
      if case .decision(let reply, _) = answer {
        if let old = call.newClip { ids[old] = reply.report.clip }
        if let old = call.newProposal { ids[old] = reply.report.proposal }
        if let old = call.newRequest { ids[old] = reply.report.switchRequest }
      }
      return .answer(answer)
    } catch let error as any CallError {
      return .error(error)
    } catch {
      throw LineProblem("the record cannot be read")
    }
  }

  // MARK: The life of accounts

  /// Repeats the steps of apps, sources and administrators; their results follow by themselves.
  private mutating func take(_ step: RecordedStep, of call: RecordedCall) throws(LineProblem) {
    life.note(step, app: call.app)
    guard step.isCause else { return }
    let parameters = try accounts.resolve(.object([.init("account", .string(step.account))]), unknown: [])
    let name = parameters["account"]?.string ?? step.account
    switch step.act {
    case .signedIn(let source), .signedOut(let source):
      let names = life.names(after: step, named: name)
      return offline.signedIn(names, by: source, person: step.person, at: call.time)
    case .registered: offline.perform(.register(name), as: try program(of: call.app, step), at: call.time)
    case .deregistered(byAdministrator: false):
      offline.perform(.deregister(name, .keep), as: try program(of: call.app, step), at: call.time)
    case .deregistered(byAdministrator: true):
      offline.endAccess(of: try program(of: call.app, step), to: name, at: call.time)
    case .locked, .unlocked, .outcome: break
    }
  }

  /// A program of the app that runs for the person of the step.
  private func program(of app: String, _ step: RecordedStep) throws(LineProblem) -> Caller {
    let running = instances.filter { $0.value.app == app && ($0.value.uid ?? step.person) == step.person }
    guard let first = running.min(by: { $0.key < $1.key }) else {
      throw LineProblem("no program of the app \(app.quoted) runs in the log then")
    }
    return first.value.caller
  }

  private mutating func instance(_ call: RecordedCall, _ features: ClientFeatures = []) throws(LineProblem)
    -> RunningInstance
  {
    do {
      let caller = try offline.attach(app: call.app, uid: call.uid, features: features)
      return RunningInstance(caller: caller, app: call.app, uid: call.uid)
    } catch {
      throw LineProblem("the policy has no app \(call.app.quoted)")
    }
  }
}

/// One line of `decide`'s output.
package enum ReplayAnswer {
  case answer(OfflineAnswer)
  /// A call that the daemon would answer with an error.
  case error(any CallError)
  /// A record that cannot be judged again, and why.
  case skipped(String)
  /// A line that cannot be judged.
  case invalid(String)
  /// A record whose change was made, and which no call answers.
  case done
}

extension JSONTree {
  /// The part of an instance that a record of a change of state sets: all of it at once, so a later record of the same
  /// part replaces it. Nil for a decision.
  fileprivate var changedPart: String? {
    guard self["type"]?.string != RecordType.decision.rawValue else { return nil }
    let change = self["change"]?.string ?? ""
    let of = [self["identityLevel"], self["window"], self["viewer"], self["request"]].compactMap { $0?.string }
    return ([change] + of).joined(separator: "\u{0}")
  }
}

extension [String: String] {
  /// The parameters of a call with the ids of this run in place of those of the log.
  fileprivate func renaming(_ parameters: JSONTree) -> JSONTree {
    guard case .object(let members) = parameters else { return parameters }
    return .object(
      members.map { member in
        switch member.key {
        case "event": .init(member.key, renaming(member.value))
        case "clip", "proposal", "request":
          .init(member.key, member.value.string.flatMap { self[$0] }.map(JSONTree.string) ?? member.value)
        default: member
        }
      })
  }
}
