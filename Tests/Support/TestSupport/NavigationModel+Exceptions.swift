internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Timed exceptions, by looking at one after the other.
extension NavigationModel {
  /// What the rules said, with the oldest exception that is for the question.
  func excepted(_ said: Said, _ question: ReferenceQuestion, _ asked: ModelCase, _ app: App) -> Said {
    guard said.verdict == .external, said.ruleSet != nil, !asked.resolved.isUnknown else { return said }
    guard let url = question.url.parts, url.isWeb, !url.hadCredentials else { return said }
    var excepted = said
    excepted.exception =
      world.policy.exceptions.list.first { exception in
        let site = String(decoding: exception.host.bytes, as: UTF8.self)
        let takesHost = exception.takesHostsBelow ? url.host(isBelow: site) : url.host == site
        return takesHost && question.purposes.allSatisfy { exception.subjects.contains($0) }
          && (exception.app == nil || exception.app == app.name) && isFor(exception.account, asked)
      }?.id
    return excepted
  }

  /// Nobody's exception is everybody's. A window with several accounts is no one account's.
  private func isFor(_ account: String?, _ asked: ModelCase) -> Bool {
    guard let account else { return true }
    return !asked.isMixed && asked.whose.identity == .account(world.canonical(account))
  }
}

extension NavigationModel.Said {
  /// What the URL counts as.
  var standing: Verdict { exception == nil ? verdict : .internal }
}
