internal import Bytes
package import GuardModel

/// The accounts that the policy names, each with all its names.
package struct AccountDirectory: Sendable {
  package var entries: [AccountEntry] = [] {
    didSet { index() }
  }
  /// The first entry with each name. A walk through the entries for each account would make a reload quadratic.
  private var places: [String: Int] = [:]
  /// The domains of the names.
  private(set) var domains: Set<String> = []

  package init(entries: [AccountEntry] = []) {
    self.entries = entries
    index()
  }

  /// The entry that has this name, as UPN or object id, compared without case.
  package func entry(named folded: String) -> Int? { places[folded] }

  /// Whether names that were one account's are several accounts in this policy.
  func tellsApart(_ folded: [String]) -> Bool { Set(folded.compactMap { places[$0] }).count > 1 }

  private mutating func index() {
    let names = entries.enumerated().flatMap { place, entry in entry.foldedNames.map { ($0, place) } }
    places = Dictionary(names) { first, _ in first }
    domains = Set(names.compactMap { AccountName.domain(of: $0.0).map(String.init) })
  }

  /// The accounts that a Unix user is signed in with by being that user: those that state the user, and one that has the
  /// user's name, as authd and himmelblau give it.
  ///
  ///     accounts.signedIn(asUser: "ada")                // those with `user: ada`
  ///     accounts.signedIn(asUser: "ada@contoso.com")    // that account, and those with `user: ada@contoso.com`
  package func signedIn(asUser name: String) -> [SignedInAccount] {
    let stated = entries.filter { $0.user == name }.map { SignedInAccount(upn: $0.upn, objectID: $0.objectID) }
    return name.contains("@") ? [SignedInAccount(upn: name)] + stated : stated
  }
}

package struct AccountEntry: Sendable, Hashable {
  package var upn: String?
  package var objectID: String?
  /// Index of the protection stated for it; nil leaves it to the protections' patterns.
  package var protection: ProtectionIndex?
  package var state = AccountState.active
  /// The Unix user whose account it is (design, accounts, section 2).
  package var user: String?
  /// For `wiped`: enrolments after this time, in milliseconds since 1970, are untouched; nil never destroys.
  package var since: UInt64?
  package var location = ""

  package init(upn: String?, objectID: String?) {
    self.upn = upn
    self.objectID = objectID
  }

  /// The name that people see.
  package var displayName: String { upn ?? objectID ?? "" }

  package var foldedNames: [String] { [upn, objectID].compactMap { $0.map(AccountName.fold) } }
}

/// How account names compare: without case, and the same in every locale (D-02).
package enum AccountName {
  /// `AccountName.fold("User@Contoso.COM")` is `user@contoso.com`.
  package static func fold(_ name: String) -> String { name.lowercased() }

  /// Whether a pattern takes a folded name: `*@contoso.com` takes every account of that domain, and no other.
  package static func pattern(_ pattern: String, takes folded: String) -> Bool {
    guard pattern.hasPrefix("*@") else { return pattern == folded }
    guard let at = folded.lastIndex(of: "@"), at != folded.startIndex else { return false }
    return folded[at...] == pattern.dropFirst()
  }

  /// The same of bytes; nothing but ASCII compares without case.
  static func pattern(_ pattern: Span<UInt8>, takes folded: Span<UInt8>) -> Bool {
    guard pattern.count >= 2, pattern[0] == UInt8(ascii: "*"), pattern[1] == UInt8(ascii: "@") else {
      return pattern.matches(folded)
    }
    guard let at = folded.indices.last(where: { folded[$0] == UInt8(ascii: "@") }), at > 0 else { return false }
    return folded.extracting(at...).matches(pattern.extracting(1...))
  }
}
