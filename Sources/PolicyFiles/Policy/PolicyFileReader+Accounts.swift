internal import GuardModel
internal import PolicyEngine

/// The accounts of an app: the sources that confirm a sign-in, the accounts that it takes, and the times of enrolment.
///
///     apps: { com.contoso.portal: { accounts: { source: [user, broker] }, allowedAccounts: ["*@contoso.com"] } }
///     enrolment: { retry: 24h, checkIn: 8h, forgetAfter: 90d, signInHolds: 7d }
extension PolicyFileReader {
  /// The value of an app's `accounts`: its sources, in the order of the words.
  var accountSources: YAMLDecoder<[AccountSource]> {
    .mapping { reader in
      let sources = reader.required("source", .list(of: .choice(of: AccountSource.self), atLeast: 1)) ?? []
      return AccountSource.allCases.filter(sources.contains)
    }
  }

  /// Accounts and patterns, in lower case. An empty list is an error: it would keep everybody out, and absence nobody
  /// (ledger AA-01, AA-06).
  var allowedAccounts: YAMLDecoder<[String]> { .list(of: .accountPattern, atLeast: 1) }

  var enrollment: YAMLDecoder<EnrollmentTimes> {
    .mapping { reader in
      var times = EnrollmentTimes()
      let short = YAMLDecoder.duration(in: .seconds(60) ... .seconds(30 * 86_400))
      let long = YAMLDecoder.duration(in: .seconds(3_600) ... .seconds(3_650 * 86_400))
      if let time = reader.optional("retry", short) { times.retry = time.inMilliseconds }
      if let time = reader.optional("checkIn", short) { times.checkIn = time.inMilliseconds }
      if let time = reader.optional("forgetAfter", long) { times.forgetAfter = time.inMilliseconds }
      if let time = reader.optional("signInHolds", long) { times.signInHolds = time.inMilliseconds }
      if times.forgetAfter <= times.checkIn {
        reader.error(
          .contradictorySettings, at: reader.has("forgetAfter") ? "forgetAfter" : "checkIn",
          "accounts would be forgotten before their next check-in",
          hint: "let `forgetAfter` be several times `checkIn`")
      }
      return times
    }
  }
}

extension Duration {
  var inMilliseconds: UInt64 {
    UInt64(components.seconds) * 1000 + UInt64(components.attoseconds / 1_000_000_000_000_000)
  }
}
