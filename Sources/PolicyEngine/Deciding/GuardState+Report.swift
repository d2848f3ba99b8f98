package import GuardModel
internal import URLRules
internal import URLStandard

/// Spelling out decisions. Text is made here and nowhere earlier.
extension GuardState {
  /// The report of an answer.
  ///
  /// - Parameter asker: the instance that asked, whose languages the texts use; nil uses `default`.
  package func report(
    _ ruling: borrowing Ruling, _ snapshot: Snapshot, for asker: InstanceID? = nil
  ) -> DecisionReport {
    let decision = ruling.decision
    var report = DecisionReport()
    report.outcome = decision.outcome
    report.reason = decision.reason
    report.flags = decision.flags
    report.generation = snapshot.generation
    describeViewer(decision, snapshot, in: &report)
    report.protectionSource = source(of: decision, asker)
    describeRules(decision, snapshot, in: &report)
    describeClip(decision, in: &report)
    describeDuties(decision, in: &report)
    if decision.offersPrograms { report.programs = programs(for: decision, snapshot, asker) }
    describeTexts(ruling, snapshot, for: asker, in: &report)
    report.advice = decision.advice.map { described($0, snapshot) }
    report.open = offer(decision, ruling.input.url.asRead.href, snapshot)
    report.linkLocation = snapshot.links.location(of: decision.target)
    report.offered = decision.offered
    report.isOfOneEvent =
      report.isOfOneEvent || decision.target != .none || decision.clip != nil || decision.proposal != nil
      || decision.switchRequest != nil || decision.offersPrograms
    return report
  }

  private func describeViewer(_ decision: Decision, _ snapshot: Snapshot, in report: inout DecisionReport) {
    report.policy = decision.policy
    report.policySource = decision.policySource
    if let app = decision.app, let viewerClass = decision.viewerClass {
      report.viewerClass = snapshot[app][viewerClass].name
    }
    report.identity = name(of: decision.identity)
    report.identityLevel = decision.identityLevel
    report.protection = decision.protection.map { snapshot[$0].name }
  }

  /// The way the deciding protection binds its account: the action's account, else the data's owner.
  private func source(of decision: Decision, _ asker: InstanceID?) -> ProtectionSource? {
    guard let protection = decision.protection else { return nil }
    if case .account(let id) = decision.identity, let source = accounts[id].source(of: protection) { return source }
    if let id = decision.dataOwner, let source = accounts[id].source(of: protection) { return source }
    if case .account(let id) = decision.clipOwner, let source = accounts[id].source(of: protection) { return source }
    let isOfGroup = asker.flatMap { instance($0) }?.groupProtections.contains(protection) ?? false
    return isOfGroup ? .group : nil
  }

  private func describeRules(_ decision: Decision, _ snapshot: Snapshot, in report: inout DecisionReport) {
    report.verdict = decision.verdict
    report.exception = decision.exception.map { snapshot.exceptions.report(of: $0) }
    guard let index = decision.ruleSet else { return }
    let ruleSet = snapshot[index]
    report.ruleSet = ruleSet.name
    guard let rule = decision.rule.map({ snapshot.rule($0, of: index) }) else {
      report.rule = "default"
      report.ruleLocation = ruleSet.defaultLocation
      return
    }
    report.rule = rule.id
    report.ruleLocation = rule.location
  }

  private func describeClip(_ decision: Decision, in report: inout DecisionReport) {
    report.clip = decision.clip?.text
    report.proposal = decision.proposal?.text
    if case .account(let id) = decision.clipOwner { report.clipOwner = accounts.displayName(id) }
    report.limit = decision.limit
  }

  private func describeDuties(_ decision: Decision, in report: inout DecisionReport) {
    report.setOwner = decision.setOwner.map { accounts.displayName($0) }
    report.tagAs = decision.tagAs.map { accounts.displayName($0) }
    report.switchTo = decision.switchTo.flatMap { name(of: $0) }
    report.switchRequest = decision.switchRequest?.text
    report.location = decision.location
    report.notes = decision.notes
  }

  /// The programs that count as managed for the data's owner: the apps of the policy, and the programs that all asking
  /// protections list; in the order of the policy, and no more than a person looks through.
  private func programs(for decision: Decision, _ snapshot: Snapshot, _ asker: InstanceID?) -> [String] {
    guard let owner = decision.dataOwner, let instance = asker.flatMap({ self.instance($0) }) else { return [] }
    let asking = instance.protections(of: owner, accounts).indexes.map { snapshot[$0] }
      .filter { $0.send.isManaged }
    let listed = asking.first?.managedApps.filter { name in asking.allSatisfy { $0.managedApps.contains(name) } } ?? []
    let others = listed.map { String(decoding: $0, as: UTF8.self) }
    let apps = snapshot.apps.map(\.name)
    return Array((apps + others.filter { !apps.contains($0) }).prefix(Self.maximumPrograms))
  }

  private static let maximumPrograms = 64

  private func described(_ advice: Advice, _ snapshot: Snapshot) -> AdviceReport {
    var report = AdviceReport(advice.outcome, advice.reason, advice.cause)
    guard let index = advice.ruleSet else { return report }
    let (ruleSet, rule) = (snapshot[index], advice.rule.map { snapshot.rule($0, of: index) })
    report.ruleSet = ruleSet.name
    report.rule = rule?.id ?? "default"
    report.ruleLocation = rule?.location ?? ruleSet.defaultLocation
    return report
  }

  private func offer(_ decision: Decision, _ url: String, _ snapshot: Snapshot) -> OpenOffer? {
    switch decision.target {
    case .none: return nil
    case .schemeHandler: return OpenOffer(target: "schemeHandler", url: url)
    case .schemeClassProgram(let schemeClass):
      let protection = decision.decider.map { snapshot[$0] }
      guard case .program(let program)? = protection?[schemeClass] else { return nil }
      return program.offer("schemeHandler", url)
    case .managedBrowser: return managedBrowser(decision, snapshot, url)
    case .unmanagedBrowser:
      guard let browser = snapshot.browsers.unmanaged else { return nil }
      return browser.program.offer("unmanagedBrowser", browser.rewritten(url))
    case .exemptLink(let entry): return snapshot.links.exempt.programs[Int(entry.place)].offer("exemptLink", url)
    case .managedLink(let entry):
      var offer = snapshot.links.managed.programs[Int(entry.place)].offer("managedLink", url)
      offer.fallback = [managedBrowser(decision, snapshot, url)].compactMap(\.self)
      return offer
    }
  }

  /// The first managed browser for the asking app, with the others behind it.
  private func managedBrowser(_ decision: Decision, _ snapshot: Snapshot, _ url: String) -> OpenOffer? {
    let app = decision.app.map { snapshot[$0].name } ?? ""
    let offers = (snapshot.browsers.managed?.programs(for: app) ?? []).map { $0.offer("managedBrowser", url) }
    guard var first = offers.first else { return nil }
    first.fallback = Array(offers.dropFirst())
    return first
  }
}

extension Links {
  /// The location of the entry that a target names.
  fileprivate func location(of target: Target) -> String? {
    switch target {
    case .exemptLink(let entry): exempt.rules[entry].location
    case .managedLink(let entry): managed.rules[entry].location
    case .none, .managedBrowser, .unmanagedBrowser, .schemeHandler, .schemeClassProgram: nil
    }
  }
}

extension Program {
  fileprivate func offer(_ target: String, _ url: String) -> OpenOffer {
    let url = template.filling("{url}", with: url)
    return OpenOffer(
      target: target, desktopID: desktopID, argv: command?.map { $0.filling("{url}", with: url) }, url: url)
  }
}

extension UnmanagedBrowser {
  /// `http://x` becomes `proto://x`, `https://x` becomes `protos://x` (ledger WT-04).
  fileprivate func rewritten(_ url: String) -> String {
    guard let scheme else { return url }
    if url.hasPrefix("https:") { return scheme + "s:" + url.dropFirst("https:".count) }
    return url.hasPrefix("http:") ? scheme + ":" + url.dropFirst("http:".count) : url
  }
}

extension URLText {
  /// The parts of the URL in a text; nil when the text is no URL.
  package init?(reading text: String) {
    guard let record = URLRecord(text) else { return nil }
    self.init(record.bytes, record.layout)
  }

  init(_ bytes: [UInt8], _ places: borrowing URLLayout) {
    let start = places.authorityStart
    self.init(
      bytes: bytes, credentials: places.hostStart > start ? TextSlot(start, places.hostStart) : TextSlot(0, 0),
      host: TextSlot(places.hostStart, places.pathStart), path: TextSlot(places.pathStart, places.pathEnd),
      query: TextSlot(places.pathEnd, places.queryEnd),
      fragment: TextSlot(places.queryEnd, UInt32(truncatingIfNeeded: bytes.count)))
  }
}

extension TextSlot {
  /// Places in a record, of which none is beyond 64 KiB.
  @inline(__always)
  fileprivate init(_ start: UInt32, _ end: UInt32) {
    self.init(lower: Int32(truncatingIfNeeded: start), upper: Int32(truncatingIfNeeded: end))
  }
}

extension String {
  /// The text with every occurrence of a placeholder replaced.
  fileprivate func filling(_ placeholder: String, with value: String) -> String {
    var result = ""
    var rest = self[...]
    while let brace = rest.firstIndex(of: "{") {
      result += rest[..<brace]
      rest = rest[brace...]
      if rest.hasPrefix(placeholder) {
        result += value
        rest = rest.dropFirst(placeholder.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result + rest
  }
}
