internal import DecisionLog
internal import GuardModel
internal import JSONText

/// A record of a step in the life of an account.
struct RecordedStep {
  enum Act: Equatable {
    case registered
    case deregistered(byAdministrator: Bool)
    case signedIn(AccountSource)
    case signedOut(AccountSource)
    /// It is locked, and its data will be removed.
    case locked
    case unlocked
    /// It followed from others, or from the policy: it comes again by itself, or does not under another policy.
    case outcome
  }

  let act: Act
  /// As the log has it.
  let account: String
  let person: UInt32

  init(_ record: JSONTree) throws(LineProblem) {
    guard let word = record["act"]?.string, let account = record["account"]?.string,
      let person = record["person"]?.int.flatMap({ UInt32(exactly: $0) })
    else { throw LineProblem("a record of an administrator's question asks nothing") }
    let source = record["source"]?.string.flatMap(AccountSource.init)
    (self.account, self.person) = (account, person)
    switch (word, source) {
    case ("registered", _): act = .registered
    case ("deregistered", _): act = .deregistered(byAdministrator: record["user"] != nil || record["reason"] != nil)
    case ("signedIn", let source?): act = .signedIn(source)
    case ("signedOut", let source?): act = .signedOut(source)
    case ("wipeBegun", _), ("wipeStarted", _), ("wipeCompleted", _), ("wipeIncomplete", _): act = .locked
    case ("wipeRestored", _), ("wipeCancelled", _): act = .unlocked
    default: act = .outcome
    }
  }

  /// The step is made again.
  var isCause: Bool {
    switch act {
    case .registered, .deregistered, .signedIn, .signedOut: true
    case .locked, .unlocked, .outcome: false
    }
  }

  /// The word of a source names no app.
  var isOfAllApps: Bool {
    switch act {
    case .signedIn, .signedOut: true
    case .registered, .deregistered, .locked, .unlocked, .outcome: false
    }
  }
}

/// The accounts that the records so far name, and the persons that are signed in.
struct RecordedLife {
  private struct Place: Hashable {
    let person: UInt32
    let app: String
    let account: String
  }

  private struct Word: Hashable {
    let person: UInt32
    let source: AccountSource
  }

  private var known: Set<Place> = []
  private var locked: Set<Place> = []
  private var words: [Word: [String]] = [:]

  mutating func note(_ step: RecordedStep, app: String) {
    guard !step.isOfAllApps else { return }
    let place = Place(person: step.person, app: app, account: step.account.lowercased())
    known.insert(place)
    if step.act == .locked { locked.insert(place) }
    if step.act == .unlocked { locked.remove(place) }
  }

  /// The accounts that a source says are signed in, after a step that adds or removes one of this name.
  mutating func names(after step: RecordedStep, named name: String) -> [String] {
    guard case .signedIn(let source) = step.act else {
      guard case .signedOut(let source) = step.act else { return [] }
      words[Word(person: step.person, source: source), default: []].removeAll { $0 == name }
      return words[Word(person: step.person, source: source)] ?? []
    }
    let word = Word(person: step.person, source: source)
    if !(words[word] ?? []).contains(name) { words[word, default: []].append(name) }
    return words[word] ?? []
  }

  /// Throws for a decision about an account that a wipe had locked, and about one that worked although the log does not
  /// say how it came to: the log begins after its enrolment.
  func check(_ record: JSONTree, needsEnrollment: Bool) throws(LineProblem) {
    guard let account = record["account"]?.string, !account.isEmpty, record["protection"] != nil,
      let person = record["uid"]?.int.flatMap({ UInt32(exactly: $0) }), let app = record["app"]?.string
    else { return }
    let place = Place(person: person, app: app, account: account.lowercased())
    guard !locked.contains(place) else { throw LineProblem("a wipe had locked the account") }
    guard needsEnrollment else { return }
    let reason = record["reason"]?.string.flatMap(Reason.init)
    guard reason != .policyRequired, reason != .notChecked, reason != .accountNotAllowed else { return }
    guard !known.contains(place) else { return }
    throw LineProblem("the log does not have the enrolment of the account: it begins later")
  }
}
