public import GuardModel

/// Values of the policy that the app reads as its own configuration (docs/app-config.md).
extension GuardClient {
  /// The configuration of accounts; nil asks for all accounts of this app and person that are enrolled.
  ///
  ///     let found = try await guardian.config(["work@contoso.com"])
  ///     found[0].configuration["maxTabs"].number(.min)    // 3
  ///     found[0].configuration["maxTabs"].hasConflict     // true
  ///
  /// An account that is not `enrolled` has no values, and `state` says why. Subscribe to `Topic.config` to hear of
  /// changes, then ask again. Values may be secrets: put none into a log.
  public nonisolated(nonsending) func config(
    _ accounts: [String]? = nil
  ) async throws(GuardError) -> [AccountConfiguration] {
    try Self.configurations(try await call(Self.configMethod, Self.asked(accounts)))
  }

  /// Does the same as `config`, for hooks that a toolkit calls.
  @available(*, noasync, message: "await `config`")
  public func configBlocking(_ accounts: [String]? = nil) throws(GuardError) -> [AccountConfiguration] {
    let answer = relayBlocking(Self.configMethod, Self.asked(accounts))
    return try Self.configurations(try answer.members().object ?? [:])
  }

  private static let configMethod = "org.webviewguard.Accounts.Config"

  private static func asked(_ accounts: [String]?) -> [String: GuardValue] {
    accounts.map { ["accounts": .array($0.map { .string($0) })] } ?? [:]
  }

  /// The accounts of an answer; one without them is none.
  private static func configurations(_ answer: [String: GuardValue]) throws(GuardError) -> [AccountConfiguration] {
    guard let accounts = answer["accounts"]?.array else {
      throw .invalidReply
    }
    return accounts.map(AccountConfiguration.init(reading:))
  }
}

extension AccountConfiguration {
  /// An account of an answer. A state of a newer daemon is `blocked`; a value without a known type is passed over.
  package init(reading value: GuardValue) {
    var configuration = AppConfiguration()
    for layer in value["values"]?.array ?? [] {
      guard let key = layer["key"]?.string, let entry = layer["entry"]?.string, let read = AppConfigValue(layer) else {
        continue
      }
      configuration.add(
        AppConfigLayer(entry: entry, value: read, isDefault: layer["default"]?.bool ?? false), to: key)
    }
    let state = value["state"]?.string.flatMap(AccountLifeState.init) ?? .blocked
    self.init(account: value["account"]?.string ?? "", state: state, configuration: configuration)
  }
}

extension AppConfigValue {
  /// The value of a layer; nil for a type of a newer daemon.
  fileprivate init?(_ layer: GuardValue) {
    if let truth = layer["flag"]?.bool {
      self = .bool(truth)
    } else if let text = layer["text"]?.string {
      self = .string(text)
    } else {
      switch layer["number"] {
      case .integer(let number): self = .number(Double(number))
      case .number(let number): self = .number(number)
      default: return nil
      }
    }
  }
}
