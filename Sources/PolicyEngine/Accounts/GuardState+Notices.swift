package import GuardModel

/// What a person is to be told outside of any app (design, accounts, section 5): through the session service.
extension GuardState {
  /// The notices for a person that hold now, in the first of these languages that there is.
  ///
  ///     state.notices(for: 1000, in: ["de-AT"], snapshot).first?.text
  ///     // "Am 2026-11-27 14:05 UTC entfernt Contoso hier die Daten des Kontos anna@contoso.com. …"
  ///
  /// A notice keeps its id for as long as the same thing goes on: the session shows each id once. Nothing about other
  /// persons is in it. It costs what the person has, and not what exists.
  package func notices(for person: UInt32, in languages: [String], _ snapshot: Snapshot) -> [PersonNotice] {
    guard snapshot.hasPolicy else { return [] }
    let tags = Array(languages.lazy.compactMap(LanguageTag.init).prefix(Self.mostNoticeLanguages))
    let words = snapshot.texts.words(tags, \.organization)
    return facts(for: person, snapshot).map { fact in
      PersonNotice(
        id: fact.id, title: words?.text,
        text: text(
          of: fact.notice, account: fact.account, app: fact.app, date: fact.date.map(Self.minute) ?? "", tags,
          snapshot))
    }
  }

  private static let mostNoticeLanguages = 8

  /// A message about the life of an account, with its names filled in.
  func text(
    of notice: AccountNotice, account: String, app: String, date: String, _ languages: [LanguageTag],
    _ snapshot: Snapshot
  ) -> String {
    var values = TextValues(naming: snapshot.texts, languages)
    (values.app, values.account, values.date) = (app, account, date)
    return values.filling(notice.text(in: languages))
  }

  /// `2026-11-27 14:05 UTC`
  private static func minute(_ time: UInt64) -> String {
    let text = RFC3339.text(time)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }

  private func facts(for person: UInt32, _ snapshot: Snapshot) -> [NoticeFact] {
    let facts =
      wipesToAnnounce(to: person, snapshot) + restartsToTell(person) + unchecked(of: person, snapshot)
      + silentSources(of: person, snapshot)
    var ids: Set<String> = []
    return facts.filter { ids.insert($0.id).inserted }
  }

  private func wipesToAnnounce(to person: UInt32, _ snapshot: Snapshot) -> [NoticeFact] {
    wipeBook.wipes.compactMap { wipe in
      guard wipe.person == person, wipe.phase == .pending, wipe.isApproved(snapshot.wipe.approvals),
        snapshot.wipe.destroys(for: wipe.cause)
      else { return nil }
      return NoticeFact(
        id: "wipe/\(wipe.id)", .wipeAnnounced, account: accounts.displayName(wipe.account),
        date: time + (wipe.delay - min(wipe.ran, wipe.delay)))
    }
  }

  /// Programs that have to start anew and do not do so by themselves.
  private func restartsToTell(_ person: UInt32) -> [NoticeFact] {
    let serials = Set(restarts.restarts.filter { $0.value.step.isForPerson }.keys)
    guard !serials.isEmpty else { return [] }
    var told: Set<String> = []
    return instances.compactMap(\.self).filter { $0.peer.person == person && serials.contains($0.serial) }
      .sorted { $0.serial < $1.serial }
      .compactMap { instance in
        guard let restart = restarts.restarts[instance.serial], told.insert(instance.appName).inserted else {
          return nil
        }
        return NoticeFact(
          id: "restart/\(restart.request.id)", .restart, account: restart.request.account ?? "", app: instance.appName)
      }
  }

  /// Accounts that may not work, since nothing is known of them for too long; since when.
  private func unchecked(of person: UInt32, _ snapshot: Snapshot) -> [NoticeFact] {
    let since = book.isAnyNotChecked ? book.uncheckedSince(snapshot) : [:]
    return holders(of: person, snapshot).flatMap { holder, app in
      (life.members[holder] ?? [:]).sorted { $0.key.index < $1.key.index }.compactMap { account, member in
        guard member.status != .ended, let date = lastWord(on: account, member, holder, app, since) else { return nil }
        return NoticeFact(
          id: "notChecked/\(date)", .notCheckedSince, account: accounts.displayName(account), date: date)
      }
    }
  }

  private func lastWord(
    on account: AccountID, _ member: Membership, _ holder: AccountHolder, _ app: App, _ since: [ProtectionIndex: UInt64]
  ) -> UInt64? {
    if member.isUnchecked {
      return app.accounts.sources.compactMap { life.words[holder.person]?[$0]?.time }.max() ?? member.checkedInAt
    }
    guard member.status == .enrolled, !since.isEmpty else { return nil }
    var binding = accounts[account].protections
    for case let instance? in instances where instance.holder == holder {
      binding = binding.union(instance.groupProtections)
    }
    var first: UInt64?
    binding.forEach { index in
      if let date = since[index] { first = min(first ?? date, date) }
    }
    return first
  }

  /// Sign-in services of the person that have been silent for a while, and whose last word still holds.
  private func silentSources(of person: UInt32, _ snapshot: Snapshot) -> [NoticeFact] {
    holders(of: person, snapshot).compactMap { holder, app in
      guard life.members[holder]?.values.contains(where: { $0.status == .enrolled && !$0.isByApp }) ?? false else {
        return nil
      }
      let words = app.accounts.sources.compactMap { source in life.words[person]?[source].map { (source, $0.time) } }
      guard let (source, last) = words.max(by: { $0.1 < $1.1 }),
        last + EnrollmentTimes.silentAfter(snapshot.enrollment) <= time, time < last + snapshot.enrollment.signInHolds
      else { return nil }
      return NoticeFact(
        id: "signIn/\(source.rawValue)/\(last)", .signInSilent, date: last + snapshot.enrollment.signInHolds)
    }
  }

  /// The apps of the policy in which the person has accounts.
  private func holders(of person: UInt32, _ snapshot: Snapshot) -> [(AccountHolder, App)] {
    snapshot.apps.compactMap { app in
      guard let number = number(ofKnownApp: app.name) else { return nil }
      let holder = AccountHolder(person: person, app: number)
      return life.members[holder] == nil ? nil : (holder, app)
    }
  }
}

/// Something that goes on, of which a person is to be told.
private struct NoticeFact {
  var id: String
  var notice: AccountNotice
  var account: String
  var app: String
  /// Milliseconds since 1970.
  var date: UInt64?

  init(id: String, _ notice: AccountNotice, account: String = "", app: String = "", date: UInt64? = nil) {
    (self.id, self.notice, self.account, self.app, self.date) = (id, notice, account, app, date)
  }
}

extension EnrollmentTimes {
  /// Milliseconds without a word after which a source counts as silent: a seventh of the time for which its word holds,
  /// which is a day where the policy says nothing. The session asks every five minutes.
  static func silentAfter(_ times: EnrollmentTimes) -> UInt64 { times.signInHolds / 7 }
}

extension ConditionBook {
  var isAnyNotChecked: Bool { findings.contains { $0.verdict == .notChecked } }

  /// Since when nothing is known, by the protection whose conditions block for it.
  func uncheckedSince(_ snapshot: Snapshot) -> [ProtectionIndex: UInt64] {
    var found: [ProtectionIndex: UInt64] = [:]
    for (place, finding) in findings.enumerated() where finding.verdict == .notChecked {
      guard place < snapshot.protections.count else { continue }
      let protection = snapshot.protections[place]
      let times = protection.conditions.compactMap { self.times[$0.key(in: protection.name)]?.unknownSince }
      if let first = times.min() { found[ProtectionIndex(place)] = first }
    }
    return found
  }
}
