internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// The facts that conditions ask for: read on a thread of their own, judged on the loop.
extension GuardCore {
  /// Reads the facts now and then every few seconds, as long as some protection has conditions.
  func startReadingFacts(_ bound: NIOLoopBound<GuardCore>) {
    loop.scheduleRepeatedTask(initialDelay: .zero, delay: .seconds(Self.factSeconds)) { _ in
      bound.value.readFacts(bound)
    }
  }

  /// A posture file that changed counts this soon.
  private static let factSeconds: Int64 = 10

  func readFacts(_ bound: NIOLoopBound<GuardCore>) {
    guard snapshot.hasConditions else { return vitals.postureProblems = [] }
    guard !vitals.isReadingFacts else { return }
    vitals.isReadingFacts = true
    vitals.factReadings += 1
    let files = PostureFiles(directory: policy.settings.postureDirectory)
    let time = journal.now()
    let number = state.remediations.beginReading()
    lookUps.readFacts({ (files.read(at: time), OwnFacts().read()) }, on: loop) { bound.value.take($0, $1, number) }
  }

  private func take(_ reading: PostureFiles.Reading, _ own: [String: Fact], _ number: UInt64) {
    vitals.isReadingFacts = false
    let time = journal.now()
    if reading.problems != vitals.postureProblems {
      for problem in reading.problems where !vitals.postureProblems.contains(problem) {
        logger.warning("a posture file is not believed", metadata: ["cause": "\(problem)"])
      }
      vitals.postureProblems = reading.problems
    }
    let facts = reading.facts.merging(own) { $1 }.merging(policyAgeFact) { $1 }
    // Facts that change nothing cost the same, however many programs run.
    let before = engine.changesConditions(facts, at: time) ? standings : [:]
    engine.setFacts(facts, at: time)
    // A fact may begin or end a wipe too.
    settleAccounts(before)
    engine.endReading(number)
    runRemediations(at: time)
  }

  /// Records conditions that changed.
  func record(_ conditions: [ConditionEvent]) {
    guard !conditions.isEmpty else { return }
    journal.state.note(time: journal.now())
    for event in conditions {
      var entry = ConditionEntry(event.check, in: event.protection, event.standing.rawValue)
      entry.value = event.value
      entry.generation = snapshot.generation
      journal.record { $0.encode(entry, at: $1, into: &$2) }
    }
  }

  /// The problem that an administrator should mend; nil when every file is believed.
  var postureProblem: HealthProblem? {
    guard let first = vitals.postureProblems.first else { return nil }
    let more = vitals.postureProblems.count - 1
    return HealthProblem(.postureUnread, more == 0 ? first : "\(first); and \(more) more")
  }
}
