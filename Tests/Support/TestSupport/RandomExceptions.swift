package import PolicyEngine
internal import URLRules

/// Timed exceptions for the hosts, apps and accounts of random worlds.
package enum RandomExceptions {
  package static func list(_ random: inout SeededGenerator) -> [TimedException] {
    (0..<random.below(32)).compactMap { number in
      let text = random.oneIn(3) ? "www." + random.one(of: RandomRules.hosts) : random.one(of: RandomRules.hosts)
      guard let host = HostName(text) else { return nil }
      var exception = TimedException(
        id: "exception\(number)", host: host, takesHostsBelow: !host.isAddress && random.oneIn(2), since: 1, until: 2,
        grantor: Administrator(uid: 0, user: nil), cause: "a test")
      exception.app = random.oneIn(3) ? random.one(of: RandomPolicy.appNames) : nil
      let names = RandomPolicy.accountNames + ["Bücher@contoso.com"]
      exception.account = random.oneIn(3) ? random.one(of: names) : nil
      if random.oneIn(2) {
        exception.subjects = Purposes(Purposes.names.map(\.purpose).filter { _ in !random.oneIn(3) })
      }
      return exception
    }
  }
}

extension Snapshot {
  /// The same policy with other exceptions.
  package func excepting(_ exceptions: [TimedException]) -> Snapshot {
    Snapshot(
      generation: generation, policyRequired: policyRequired, apps: apps, accounts: accounts,
      protections: protections, ruleSets: ruleSets, browsers: browsers, links: links, texts: texts,
      exceptions: TimedExceptions(exceptions))
  }
}
