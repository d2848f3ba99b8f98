package import GuardModel

/// The accounts of an app, as its policy has them: the sources that confirm a sign-in, and the accounts that the app takes.
///
///     var accounts = AppAccounts()
///     accounts.allowed = ["*@contoso.com"]
///     accounts.takes(["Work@Contoso.com"])    // true
package struct AppAccounts: Sendable, Hashable {
  /// Any of them may say so. Empty: an account that a protection binds counts as enrolled, as in policies without
  /// sources.
  package var sources: [AccountSource] = []
  /// Names and patterns in lower case; nil takes every account (ledger AA-01).
  package var allowed: [String]?

  package init() {}

  /// Nothing but the account's own state counts.
  var isFree: Bool { sources.isEmpty && allowed == nil }

  /// Whether the app takes an account with these names: by UPN or object id, without case (ledger AA-04).
  package func takes(_ names: [String]) -> Bool {
    guard let allowed else { return true }
    let folded = names.map(AccountName.fold)
    return allowed.contains { pattern in folded.contains { AccountName.pattern(pattern, takes: $0) } }
  }
}

/// The times of enrolment, in milliseconds (ledger EN-04, EN-06, EN-07).
package struct EnrollmentTimes: Sendable, Hashable {
  /// Between two attempts, while no account of the app is enrolled.
  package var retry: UInt64 = 24 * hour
  /// Between two check-ins of an enrolled account whose app runs.
  package var checkIn: UInt64 = 8 * hour
  /// After the last check-in a registration is forgotten. No data is touched.
  package var forgetAfter: UInt64 = 90 * 24 * hour
  /// A source's word about who is signed in holds as long; then nothing is known.
  package var signInHolds: UInt64 = 7 * 24 * hour

  package init() {}

  private static let hour: UInt64 = 3_600_000
}

extension AccountName {
  /// The object id of `ObjectId.TenantId`, as sign-in libraries have it; any other name as it is (ledger CA-13).
  ///
  ///     AccountName.withoutTenant("3ec2c00f-b125-4519-acf0-302ac3761822.11112222-3333-4444-5555-666677778888")
  ///     // 3ec2c00f-b125-4519-acf0-302ac3761822
  package static func withoutTenant(_ name: String) -> String {
    let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy(isGUID) ? String(parts[0]) : name
  }

  /// 8-4-4-4-12 hexadecimal digits.
  static func isGUID(_ text: Substring) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.utf8.allSatisfy(isHexadecimal) }
  }

  /// The domain of a UPN; nil for any other name.
  static func domain(of name: String) -> Substring? {
    guard let at = name.lastIndex(of: "@"), at != name.startIndex else { return nil }
    let domain = name[name.index(after: at)...]
    return domain.isEmpty ? nil : domain
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}

extension Snapshot {
  /// All names of an account in lower case, as far as the policy knows them.
  func names(ofAccount name: String) -> [String] {
    let folded = AccountName.fold(name)
    return accounts.entry(named: folded).map { accounts.entries[$0].foldedNames } ?? [folded]
  }

  /// A UPN in a domain that no account and no pattern of the policy covers: the person's own (design, accounts,
  /// section 2). Everything else that the policy does not know counts as an unknown managed account.
  ///
  ///     snapshot.isPrivate("me@example.org")    // true, when the policy names only accounts of contoso.com
  ///     snapshot.isPrivate("3ec2c00f-…")        // false: an object id may be anybody's
  ///
  /// The trap: a name that a sign-in service would take for one of a covered domain, such as `work@contoso.com.`, is not
  /// private.
  package func isPrivate(_ name: String) -> Bool {
    let folded = AccountName.fold(name)
    guard let domain = AccountName.domain(of: folded), Self.isPlain(domain) else { return false }
    let isCovered =
      accounts.domains.contains(String(domain))
      || protections.contains { $0.accountPatterns.contains { AccountName.domain(of: $0) == domain } }
    return !isCovered
  }

  /// Labels of letters, digits and hyphens, with single dots between them.
  private static func isPlain(_ domain: Substring) -> Bool {
    domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      !label.isEmpty
        && label.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
          default: false
          }
        }
    }
  }
}
