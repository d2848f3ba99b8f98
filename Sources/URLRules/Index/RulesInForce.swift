/// The rules of a rule set that are asked: those not expired by a time, and either all monitored ones or none.
struct RulesInForce {
  let time: Int64
  /// Monitored rules are asked as if they were enforced.
  let withMonitored: Bool
  /// Rules that compare with the viewer's document are as if they were not there.
  let withoutSame: Bool

  init(at time: Int64, withMonitored: Bool = false, withoutSame: Bool = false) {
    self.time = time
    self.withMonitored = withMonitored
    self.withoutSame = withoutSame
  }

  func holds(_ rule: Rule) -> Bool {
    // Without a clock nothing has expired.
    if let expires = rule.expires, expires <= time { return false }
    return withMonitored || rule.monitoredUntil ?? .min <= time
  }
}
