internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine

/// `Remediate`, as the shell carries it out: facts are read anew, persons are asked, and apps are told (design, accounts,
/// section 5; ledger CA).
extension GuardCore {
  /// Reads the facts anew where accounts wait for that, and looks at those that wait for nothing else.
  ///
  /// The attack: a program asks without end. Facts are read once at a time, and for everybody who waits; the ticks begin
  /// the next reading.
  func beginRemediations(at time: UInt64) {
    if state.remediations.wantsReading, snapshot.hasConditions, vitals.lookedAt + RemediationBook.pause <= time {
      vitals.lookedAt = time
      readFacts(NIOLoopBound(self, eventLoop: loop))
    }
    runRemediations(at: time)
  }

  /// Looks at the accounts whose turn it is, tells what came of it, and asks persons.
  func runRemediations(at time: UInt64) {
    guard state.remediations.isDue(at: time) else { return }
    let before = standings
    engine.runRemediations(isOffline: policy.checkIns.failure != nil, at: time)
    settleAccounts(before)
    for result in state.remediations.takeResults() { tell(result) }
    askForRemediations(at: time)
    submit()
  }

  /// Tells every program of the app, each in the language of its person.
  private func tell(_ result: RemediationResult) {
    for session in sessions.of(result.person) where session.app == result.app {
      tell(news(of: result, for: session), toSubscribersOf: session)
      noteTold(result, to: session)
    }
  }

  /// Tells a new subscriber what nobody of its app heard.
  func tellOfRemediations(to session: Session) {
    for result in state.untoldRemediations(of: session.instance) {
      tell(news(of: result, for: session), toSubscribersOf: session)
      noteTold(result, to: session)
    }
  }

  /// A reader that is too slow is told that it missed something, and asks `List`.
  private func noteTold(_ result: RemediationResult, to session: Session) {
    let isHeard = serving.subscribers.values.contains { connection in
      connection.session === session && connection.subscription?.topics.contains(.compliance) ?? false
    }
    if isHeard { state.noteTold(result) }
  }

  private func news(of result: RemediationResult, for session: Session) -> NewsReply {
    var news = NewsReply(.compliance, snapshot.generation)
    let words = state.complianceWords(of: result, in: session.instance, snapshot)
    (news.account, news.request) = (state.accounts.displayName(result.account), result.request)
    news.compliance = ComplianceNews(result.status, title: words.title, text: words.text)
    return news
  }

  // MARK: Persons

  /// Asks the persons whom accounts wait for. Who was asked a moment ago is asked at a later tick.
  private func askForRemediations(at time: UInt64) {
    for (instance, account) in state.remediationsToAsk() {
      guard let session = sessions.values.first(where: { $0.instance == instance }) else { continue }
      guard unlocking.bus != nil else {
        answerRemediations(of: session.peer.person, .serviceFailure, at: time)
        continue
      }
      guard let connection = serving.connections.values.first(where: { $0.session === session && $0.isOpen }) else {
        continue
      }
      askToUnlock(account, for: session, connection)
    }
  }

  /// The question to a person has ended.
  func answerRemediations(of person: UInt32, _ result: UnlockResult, at time: UInt64) {
    guard state.remediations.isDue(at: time) else { return }
    engine.answerRemediations(of: person, result)
    runRemediations(at: time)
  }
}
