internal import GuardModel
internal import JSONText
internal import PolicyEngine

/// The accounts that a sign-in service says are signed in, read from its answer.
///
///     try BrokerAccounts(#"{"accounts":[{"username":"ada@contoso.com","homeAccountId":"6d5c….9b52…"}]}"#).accounts
///     // [SignedInAccount(upn: "ada@contoso.com", objectID: "6d5c…")]
///
/// Any program of the person can answer in the service's place. Therefore its words are small, and nothing but names: a
/// text with control characters, spaces or more than 256 bytes is no name. An account without a name is left out.
///
/// Source: `getAccounts` of com.microsoft.identity.Broker1, as Microsoft's broker and himmelblau answer it; ledger CA-13.
struct BrokerAccounts {
  private(set) var accounts: [SignedInAccount] = []
  /// The service's own words for each account.
  private var entries: [(account: SignedInAccount, entry: JSONTree)] = []
  /// Entries in which no name could be read.
  private(set) var unreadable = 0

  /// Maximum accounts of a person; a longer answer is refused as a whole.
  static let most = 32

  private static let mostBytes = 256

  /// Why an answer says nothing.
  enum Fault: Error, Hashable {
    case notJSON
    /// An object without `accounts`, as the service answers when it has an error of its own.
    case noList
    case tooMany
  }

  init(_ text: String) throws(Fault) {
    let answer: JSONTree
    do throws(JSONError) { answer = try JSONTree(parsing: text) } catch { throw .notJSON }
    guard let list = answer["accounts"]?.array else { throw .noList }
    guard list.count <= Self.most else { throw .tooMany }
    for entry in list {
      guard let account = Self.account(entry) else {
        unreadable += 1
        continue
      }
      if !accounts.contains(account) { accounts.append(account) }
      entries.append((account, entry))
    }
  }

  /// The service's own words for the account of this name; nil when it says nothing of it, or two different things.
  func entry(named name: String) -> (account: SignedInAccount, entry: JSONTree)? {
    let folded = AccountName.fold(name)
    let found = entries.filter { $0.account.all.contains { AccountName.fold($0) == folded } }
    return found.count == 1 ? found[0] : nil
  }

  private static func account(_ entry: JSONTree) -> SignedInAccount? {
    // The object id in the account's own organisation stands before the dot.
    let home = entry["homeAccountId"]?.string?.split(separator: ".", maxSplits: 1).first.map { String($0) }
    let objectID = [home, entry["localAccountId"]?.string].compactMap(\.self).first(where: isObjectID)
    let upn = entry["username"]?.string.flatMap { isName($0) ? $0 : nil }
    return upn == nil && objectID == nil ? nil : SignedInAccount(upn: upn, objectID: objectID)
  }

  /// `user@domain`, of characters that a person sees.
  private static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), text.utf8.count <= mostBytes else { return false }
    return text.unicodeScalars.allSatisfy { !$0.isInvisible && !$0.properties.isWhitespace }
  }

  /// 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  private static func isObjectID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || isHexLetter($0) } }
  }

  private static func isHexLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20 }
}

extension BrokerAccounts.Fault: CustomStringConvertible {
  var description: String {
    switch self {
    case .notJSON: "its answer is no JSON"
    case .noList: "its answer has no list of accounts"
    case .tooMany: "it says that more than \(BrokerAccounts.most) accounts are signed in"
    }
  }
}
