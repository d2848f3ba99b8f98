internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText

/// The accounts of each user: the sources that confirm a sign-in, whether they may work, and the remedies.
extension Doctor {
  var accountFindings: [Finding] {
    guard let listing = accounts else { return [] }
    let speaking = Set(listing.signIns.map(\.user)).union(listing.accounts.map(\.user))
    return listing.accounts.map(Self.finding) + listing.signIns.map { .ok(Self.area, $0.line) }
      + (speaking.isEmpty ? [.ok(Self.area, "no app has registered one, and no source names one")] : [])
  }

  private static let area = "accounts"

  /// Nil when no daemon answers, or one that knows no accounts.
  static func listing(_ socket: String) -> AccountListing? {
    do throws(ClientError) {
      let deadline = Deadline(after: patience)
      var client = try VarlinkClient(connectingTo: socket, patience: patience)
      try client.send("org.webviewguard.Admin.Accounts")
      let reply = try client.receive(until: deadline)
      return reply.error == nil ? AccountListing(reply.parameters) : nil
    } catch {
      return nil
    }
  }

  private static func finding(_ account: ShownAccount) -> Finding {
    let named = account.sources.joined(separator: ", ")
    let sources = named.isEmpty ? "no source says that it is signed in" : "signed in by \(named)"
    guard let reason = account.reason else { return .ok(area, "\(account.title): \(account.state), \(sources)") }
    let text = "\(account.title): \(account.state) (\(reason)), \(sources)"
    // An administrator's decision is nothing to mend.
    return account.isMeant ? .ok(area, text) : .warning(area, text, account.help)
  }
}

extension ShownAccount {
  /// It may not work because an administrator, or the person, decided so.
  fileprivate var isMeant: Bool {
    switch AccountLifeState(rawValue: state) {
    case .blocked, .suspended, .notAllowed, .locked, .wipePending, .wiped: true
    case .unknown, .unmanaged, .registered, .enrolled, .nonCompliant, .policyRequired, .notChecked, nil: false
    }
  }
}
