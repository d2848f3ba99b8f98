package import GuardModel

/// Steps of a policy's test about the life of accounts, in the words of `org.webviewguard.Accounts`.
///
///     - { register: work@contoso.com, state: registered, result: notSignedIn }
///     - { signedIn: { source: broker, accounts: [work@contoso.com] } }
///     - { list: work@contoso.com, state: enrolled }
///     - { tick: 25h }
///     - { maySignIn: me@example.org, allowed: false, reason: accountNotAllowed }
///     - { remediate: work@contoso.com, silent: true, status: compliant }
package struct ExpectedAccount: Sendable, Hashable {
  /// Nil properties match anything.
  package var state: AccountLifeState?
  package var result: EnrollmentResult?
  /// The reason why it may not work.
  package var reason: Reason?
  /// Whether it may work, or may be used for signing in.
  package var isAllowed: Bool?
  /// What came of the look at it.
  package var compliance: ComplianceStatus?

  package init() {}
}

extension PolicyTestAction {
  /// The keys that say which step about accounts it is.
  static let accountKeys = ["register", "deregister", "maySignIn", "remediate", "signedIn", "tick", "list"]

  /// The step with its parameters; nil when one is wrong, which has been reported.
  init?(accountKey key: String, _ reader: inout MappingReader) {
    let action: Self? =
      switch key {
      case "register": reader.optional("register", .accountOrNull).map { .account(.register($0)) }
      case "deregister": Self.deregister(&reader)
      case "maySignIn": reader.optional("maySignIn", .nonEmptyString).map { .account(.maySignIn($0)) }
      case "remediate": Self.remediate(&reader)
      case "signedIn": reader.optional("signedIn", Self.signedIn)
      case "tick": reader.optional("tick", .duration(in: .zero ... .seconds(366 * 86_400))).map { .tick($0.inTicks) }
      default: reader.optional("list", .nonEmptyString).map { .list($0) }
      }
    guard let action else { return nil }
    self = action
  }

  private static func deregister(_ reader: inout MappingReader) -> Self? {
    let data = reader.value("data", .choice(of: DataFate.self), default: .keep)
    return reader.optional("deregister", .nonEmptyString).map { .account(.deregister($0, data)) }
  }

  private static func remediate(_ reader: inout MappingReader) -> Self? {
    let silent = reader.value("silent", .bool, default: false)
    return reader.optional("remediate", .nonEmptyString).map { .account(.remediate($0, silent: silent)) }
  }

  /// Names with an `@` are UPNs, others object ids.
  private static var signedIn: YAMLDecoder<PolicyTestAction> {
    .mapping { reader in
      let source = reader.required("source", .choice(of: AccountSource.self))
      let names = reader.required("accounts", .list(of: .nonEmptyString))
      guard let source, let names else { return nil }
      return .signedIn(
        source, names.map { $0.contains("@") ? SignedInAccount(upn: $0) : SignedInAccount(objectID: $0) })
    }
  }
}

extension PolicyTestExpectation {
  /// The expectation beside a step about accounts: an error, or a standing of which anything may be left out.
  init(accountKey key: String, _ reader: inout MappingReader) {
    if key != "list", key != "tick",
      let code = reader.optional("expect", .word(Refusal.Code.ofAccountCalls.map { ($0.rawValue, $0) }))
    {
      self = .refused(code)
      return
    }
    guard key != "signedIn", key != "tick" else {
      self = .done
      return
    }
    var expected = ExpectedAccount()
    expected.state = reader.optional("state", .choice(of: AccountLifeState.self))
    if key == "remediate" || key == "list" {
      expected.compliance = reader.optional("status", .choice(of: ComplianceStatus.self))
    }
    if key != "maySignIn", key != "remediate" {
      expected.result = reader.optional("result", .choice(of: EnrollmentResult.self))
    }
    expected.reason = reader.optional("reason", .reason)
    expected.isAllowed = reader.optional("allowed", .bool)
    self = .account(expected)
  }
}

extension YAMLDecoder where Value == String? {
  /// An account, or `null` for none.
  fileprivate static var accountOrNull: Self {
    Self("an account or null") { node, diagnostics in
      node.isNull ? .some(nil) : node.decode(.nonEmptyString, into: &diagnostics).map(Optional.some)
    }
  }
}

extension Duration {
  /// In milliseconds.
  var inTicks: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
