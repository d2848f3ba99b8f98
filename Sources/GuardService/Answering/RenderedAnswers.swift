internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// An answer written out, for every event of an instance that comes out the same.
///
/// Names are looked up and JSON is written once; the next event with the same decision copies bytes.
final class RenderedAnswer {
  let decision: Decision
  let report: DecisionReport
  /// The policy wants a record of it.
  let isRecorded: Bool
  /// It is about ownerless or unmanaged data: the log names no page of it.
  let isPrivate: Bool
  /// Nil where the reply has to be written anew for each event.
  let reply: WrittenReply?
  /// Nil where the record has to be.
  let record: WrittenAnswer?

  init(
    _ decision: Decision, _ report: DecisionReport, isRecorded: Bool, isPrivate: Bool, reply: WrittenReply? = nil,
    record: WrittenAnswer? = nil
  ) {
    self.isPrivate = isPrivate
    self.decision = decision
    self.report = report
    self.isRecorded = isRecorded
    self.reply = reply
    self.record = record
  }

  /// The form as it may be kept for long: without an offer whose URL is longer than this many bytes.
  func keeping(_ longest: Int) -> RenderedAnswer {
    guard let url = report.open?.url, url.utf8.count > longest else { return self }
    var report = report
    report.open = nil
    return RenderedAnswer(decision, report, isRecorded: isRecorded, isPrivate: isPrivate)
  }
}

/// The answers that one instance got lately.
///
/// Every question is decided; only the words of the answer are taken from here. Words also rest on the policy in force
/// and the instance's languages; a change of either empties this.
struct AnswerForms {
  private var forms: [RenderedAnswer] = []
  private var generation: UInt64 = 0
  private var next = 0

  static let capacity = 8

  /// The form of a decision under this generation of the policy; nil when none was made lately.
  mutating func form(of decision: Decision, under generation: UInt64) -> RenderedAnswer? {
    if generation != self.generation {
      clear()
      self.generation = generation
      return nil
    }
    for form in forms where form.decision.equals(decision) { return form }
    return nil
  }

  mutating func insert(_ form: RenderedAnswer) {
    if forms.count < Self.capacity {
      forms.append(form)
    } else {
      forms[next] = form
      next = (next + 1) % Self.capacity
    }
  }

  mutating func clear() {
    forms.removeAll(keepingCapacity: true)
    next = 0
  }
}

extension GuardCore {
  /// The words of the ruling at hand, which was made for a session's instance.
  func form(for session: Session) -> RenderedAnswer {
    let decision = ruling.decision
    if let form = session.forms.form(of: decision, under: snapshot.generation.number) { return form }
    let report = engine.report(ruling, for: session.instance)
    let isRecorded = wantsRecord(report, session)
    let isPrivate = state.isPrivate(decision.identity, in: session.instance)
    if report.isOfOneEvent { return RenderedAnswer(decision, report, isRecorded: isRecorded, isPrivate: isPrivate) }
    var entry = DecisionEntry()
    entry.setAsker(session, session.peer)
    let form = RenderedAnswer(
      decision, report, isRecorded: isRecorded, isPrivate: isPrivate, reply: WrittenReply(report),
      record: journal.written(report, for: entry))
    session.forms.insert(form)
    return form
  }

  private func wantsRecord(_ report: DecisionReport, _ session: Session) -> Bool {
    guard let app = state.instance(session.instance)?.app else { return true }
    switch snapshot[app].record {
    case .all: return true
    case .notAllowed: return report.outcome != .allow || report.advice != nil || report.exception != nil
    case .counts: return false
    }
  }
}
