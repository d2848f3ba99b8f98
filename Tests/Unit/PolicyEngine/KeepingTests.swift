import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What a state keeps is enough: put back into a new one, it answers as before once the programs are back, and never
/// weaker while they are not.
struct KeepingTests {
  @Test
  func aStatePutBackAnswersTheSame() throws {
    var random = SeededGenerator()
    var compared = 0
    for _ in 0..<Effort.scaled(2_000) {
      var before = try Course(epoch: 1)
      var kept = KeptState()
      for _ in 0..<random.below(30) {
        _ = before.happen(Step(&random, before))
        before.state.takeChanges(into: &kept)
      }
      var after = try Course(epoch: 2, kept: kept, resuming: before)
      after.issued = before.issued
      for _ in 0..<15 {
        let step = Step(&random, before)
        #expect(after.happen(step) == before.happen(step), "\(step) \(random.note)")
        compared += 1
      }
    }
    #expect(compared >= Effort.scaled(30_000))
  }

  @Test
  func withoutItsProgramsAStatePutBackIsNeverWeaker() throws {
    var random = SeededGenerator()
    var blocked = 0
    for _ in 0..<Effort.scaled(2_000) {
      var before = try Course(epoch: 1)
      var kept = KeptState()
      for _ in 0..<random.below(30) { _ = before.happen(Step(&random, before)) }
      before.state.takeChanges(into: &kept)
      var after = try Course(epoch: 2, kept: kept, succeeding: before)
      after.issued = before.issued
      for _ in 0..<10 {
        var step = Step(&random, before)
        step.kind = .paste
        let (answer, earlier) = (after.happen(step), before.happen(step))
        if earlier.outcome == .block {
          #expect(answer.outcome == .block, "\(step) \(random.note)")
          blocked += 1
        }
      }
    }
    #expect(blocked > Effort.scaled(5_000))
  }

  /// Between its attachment and its own word for whose data it shows a program may ask and report already.
  ///
  /// On one display, of selections that have a name. Of two displays the later record counts, and a stricter one is not
  /// always the later. A report about a selection without a name raises both by what was in one of them: where less is
  /// known of that one it raises less, and neither is wrong. Nor is a clip handed back afterwards: what a report doubted of
  /// the selection is doubted of the clip that went out, too, and the report of a program in debt says less.
  @Test
  func whileAProgramOwesItsIdentityNothingIsWeaker() throws {
    var random = SeededGenerator()
    var blocked = 0
    for _ in 0..<Effort.scaled(2_000) {
      var before = try Course(epoch: 1)
      var kept = KeptState()
      for _ in 0..<random.below(30) { _ = before.happen(Step(&random, before, isPlain: true)) }
      before.state.takeChanges(into: &kept)
      var after = try Course(epoch: 2, kept: kept, resuming: before, inDebt: true)
      after.issued = before.issued
      for _ in 0..<12 {
        var step = Step(&random, before, isPlain: true)
        step.account = nil
        // A copy that is refused does not happen; the courses would part.
        if step.kind == .copy { step.kind = .paste }
        let (answer, earlier) = (after.happen(step), before.happen(step))
        if earlier.outcome == .block {
          #expect(answer.outcome == .block, "\(step) \(random.note)")
          blocked += 1
        }
      }
      try after.payDebts(like: before)
      for _ in 0..<10 {
        var step = Step(&random, before, isPlain: true)
        // What was not allowed took nothing of the minute's budget, so that more is left of it: no exceptions here.
        (step.kind, step.length, step.clip) = (.paste, nil, nil)
        let (answer, earlier) = (after.happen(step), before.happen(step))
        let note = "\(step) \(answer) \(earlier) \(random.note)"
        // The order of owners is one of data that goes out: what is some account's may come in where nobody's may not.
        if earlier.outcome == .block, earlier.reason != .incomingRestricted {
          #expect(answer.outcome == .block, "\(note)")
        }
      }
    }
    #expect(blocked > Effort.scaled(5_000))
  }

  @Test
  func nothingIsTakenTwiceAndNothingWithoutAChange() throws {
    var example = try Example()
    #expect(!example.state.hasChanges)
    _ = example.clip(.copy, length: 3)
    #expect(example.state.hasChanges)
    var first = KeptState()
    example.state.takeChanges(into: &first)
    #expect(first.selections.count == 1 && first.issued.count == 1)
    _ = example.navigate("https://www.contoso.com/")
    _ = example.clip(.paste)
    #expect(!example.state.hasChanges)
    var second = KeptState()
    example.state.takeChanges(into: &second)
    #expect(second.isEmpty)
  }

  @Test
  func whatAMinuteAllowsIsNotAllowedTwice() throws {
    let policy = ExamplePolicy().with {
      $0.protection.clipboard.exceptionLength = 5
      $0.protection.clipboard.exceptionPerMinute = 6
    }
    var example = try Example(policy)
    let plain: (inout Event) -> Void = { $0.formats = $0.append("text/plain") }
    _ = example.clip(.copy, length: 4)
    #expect(Answer(example.clip(.paste, in: "P", length: 4, with: plain)) == Answer(.allow, .withinLimit))
    var kept = KeptState()
    example.state.takeChanges(into: &kept)
    var again = try Example(policy)
    again.state.restore(kept, living: [], again.snapshot)
    #expect(Answer(again.clip(.paste, in: "P", length: 4, with: plain)) == Answer(.block, .orgDataOverLimit))
  }

  @Test
  func everyNameOfAnAccountIsKept() throws {
    var example = try Example()
    try example.set("6d5c")
    _ = example.clip(.copy)
    var kept = KeptState()
    example.state.takeChanges(into: &kept)
    #expect(kept.selections.values.compactMap(\.clip?.owner) == [.account(names: ["work@contoso.com", "6d5c"])])
    // The policy now tells the two apart: the strictest of them counts, as in the daemon that read the change.
    var policy = ExamplePolicy()
    policy.work = AccountEntry(upn: "other@home.example", objectID: "6D5C")
    var again = try Example(policy, as: nil)
    again.state.restore(kept, living: [], again.snapshot)
    #expect(Answer(again.clip(.paste, in: "P")) == Answer(.block, .orgData))
  }
}

/// One thing that happens to a clipboard.
private struct Step: CustomStringConvertible {
  var program: Int
  var account: String?
  var kind: EventKind
  var selection: Selection
  var display: String?
  var length: Int?
  var selfOwned: Ternary
  /// Which of the clips that went out is handed back.
  var clip: Int?

  /// - Parameter isPlain: on one display, and of a selection that has a name.
  init(_ random: inout SeededGenerator, _ course: Course, isPlain: Bool = false) {
    program = random.below(4)
    account = random.one(of: ["work@contoso.com", "boss@contoso.com", "private@home.example", ""])
    kind = random.one(of: [.copy, .copy, .clipboardChanged, .clipboardChanged, .paste, .dragEnd])
    selection = random.one(of: [.clipboard, .clipboard, .primary, .drag, isPlain ? .drag : .unknown])
    display = random.one(of: [":0", ":1"], orNilOneIn: isPlain ? 1 : 2)
    length = random.one(of: [0, 3, 9], orNilOneIn: 4)
    selfOwned = random.one(of: [.yes, .no, .unknown])
    clip = random.one(of: Array(course.issued.indices), orNilOneIn: 2)
  }

  var description: String {
    "\(program) \(account ?? "-") \(kind) \(selection) \(display ?? "-") \(length ?? -1) \(selfOwned) \(clip ?? -1)"
  }
}

/// Four programs of two apps and two users, and all that happens to their clipboards.
private struct Course {
  struct Result: Equatable {
    var outcome: Outcome
    var reason: Reason
    var owner: String
  }

  var state: GuardState
  let snapshot: Snapshot
  let programs: [InstanceID]
  var issued: [ClipID] = []
  /// Whatever was shown before a step is forgotten: `ClipboardChangeTests` tells of that.
  private var time: UInt64 = 0

  private var serials: Set<UInt64> { Set(programs.map(\.serial)) }

  /// - Parameters:
  ///   - succeeding: the same programs run, under new attachments.
  ///   - resuming: they come back as who they were; in debt when they have not said again whose data they show.
  init(
    epoch: UInt64, kept: KeptState? = nil, succeeding: Course? = nil, resuming: Course? = nil, inDebt: Bool = false
  ) throws {
    snapshot =
      ExamplePolicy().with {
        $0.protection.clipboard.level = .managed
        $0.protection.clipboard.exceptionLength = 4
        $0.protection.clipboard.exceptionPerMinute = 20
      }.snapshot
    let earlier = resuming ?? succeeding
    var state = GuardState(epoch: epoch)
    if let kept { state.restore(kept, living: earlier?.serials ?? [], snapshot) }
    // In another order than before, since programs come back as they like.
    var programs = [InstanceID?](repeating: nil, count: 4)
    for number in earlier == nil ? [0, 1, 2, 3] : [2, 0, 3, 1] {
      let peer = Peer(uid: number == 3 ? 1001 : 1000)
      let serial = resuming?.programs[number].serial
      let id = try state.attach(app: AppIndex(number % 2), peer: peer, features: .usual, serial: serial, snapshot)
      if let resuming { state.resume(id, owesIdentity: inDebt && resuming.shown(number) != nil) }
      programs[number] = id
    }
    self.state = state
    self.programs = programs.compactMap(\.self)
    time = earlier?.time ?? 0
    if let earlier { try register(like: earlier, withIdentities: !inDebt) }
  }

  /// The programs register what they had registered.
  private mutating func register(like earlier: Course, withIdentities: Bool) throws {
    for number in programs.indices where earlier.hasViewer(number) {
      try state.register(ViewerDescription("V"), in: programs[number], snapshot)
    }
    if withIdentities { try payDebts(like: earlier) }
  }

  /// They say again whose data they show.
  mutating func payDebts(like earlier: Course) throws {
    for number in programs.indices {
      guard let account = earlier.shown(number) else { continue }
      let identity = try state.identity(account, in: programs[number], snapshot)
      _ = try state.setProcessIdentity(identity, in: programs[number], snapshot)
    }
  }

  /// The identity that a program has set; nil for one that has set none.
  private func shown(_ number: Int) -> String? {
    state.instance(programs[number]).flatMap { state.name(of: $0.process) }
  }

  private func hasViewer(_ number: Int) -> Bool { state.instance(programs[number])?.viewers.count ?? 0 > 0 }

  mutating func happen(_ step: Step) -> Result {
    let id = programs[step.program]
    state.time = time
    time += 20_000
    if let account = step.account, let identity = try? state.identity(account, in: id, snapshot) {
      // Refused where the app may show one managed account and shows another: then it goes on with that.
      _ = try? state.setProcessIdentity(identity, in: id, snapshot)
      _ = try? state.register(ViewerDescription("V"), in: id, snapshot)
    }
    var event = Event(step.kind)
    event.viewer = event.append("V")
    event.display = step.display.map { event.append($0) }
    event.selection = step.selection
    event.length = step.length
    event.time = time
    event.selfOwned = step.selfOwned
    if step.kind == .paste, let clip = step.clip, issued.indices.contains(clip) { event.clip = .id(issued[clip]) }
    let decision = decide(event, of: id, &state, under: snapshot)
    if step.kind == .copy, let clip = decision.clip { issued.append(clip) }
    return Result(outcome: decision.outcome, reason: decision.reason, owner: owner(decision.clipOwner))
  }

  private func owner(_ owner: ClipOwner?) -> String {
    if case .account(let id)? = owner { return state.accounts.displayName(id) }
    return "\(owner.map { "\($0)" } ?? "nobody")"
  }
}
