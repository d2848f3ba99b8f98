internal import GuardModel
internal import PolicyEngine

extension PolicyFileReader {
  func account(_ reader: inout MappingReader) -> AccountDraft? {
    let upn = reader.optional("upn", .located(.accountName))
    let objectID = reader.optional("objectId", .located(.accountName))
    let protection = reader.optional("protection", .located(.nonEmptyString))
    let state = reader.value("state", .choice(of: AccountState.self), default: .active)
    guard reader.has("upn") || reader.has("objectId") else {
      _ = reader.required("upn", .accountName)
      return nil
    }
    var entry = AccountEntry(upn: upn?.value, objectID: objectID?.value)
    entry.state = state
    entry.location = reader.location.description
    return AccountDraft(upn: upn, objectID: objectID, entry: entry, protection: protection)
  }

  /// Whom a protection binds.
  enum Bound {
    case pattern(String)
    case group(UInt32)
    /// A group that the system does not know.
    case nobody
  }

  var bound: YAMLDecoder<Bound> {
    .byShape(
      scalar: .converting(.accountPattern) { .pattern($0) },
      mapping: .mapping { reader in
        guard let group = reader.required("group", .located(.nonEmptyString)) else { return nil }
        return resolve(group: group, into: &reader.diagnostics).map(Bound.group) ?? .nobody
      })
  }
}

extension YAMLDecoder where Value == String {
  /// A UPN or an object id.
  fileprivate static var accountName: Self {
    Self("an account") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      return diagnostics.checkAccount(text, at: node.location) ? text : nil
    }
  }

  /// An account, or `*@` and a domain, in lower case: there is no other wildcard.
  fileprivate static var accountPattern: Self {
    Self("an account or `*@` and a domain") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      let name = text.hasPrefix("*@") ? text.dropFirst(2) : text[...]
      let isDomain = name.count < text.count
      guard !name.isEmpty, !name.contains("*"), !(isDomain && name.contains("@")) else {
        diagnostics.error(
          .accountPattern, at: node.location, "\(text.quoted) is not an account pattern",
          hint: "write one account, or `*@contoso.com` for every account of a domain")
        return nil
      }
      guard diagnostics.checkAccount(String(name), at: node.location) else { return nil }
      return AccountName.fold(text)
    }
  }
}

extension Diagnostics {
  /// Whether `name` can be an account's; reported when it cannot.
  mutating func checkAccount(_ name: String, at location: SourceLocation) -> Bool {
    let isUnbroken = name.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && $0.properties.generalCategory != .control
    }
    guard isUnbroken, !name.contains("*"), name.utf8.count <= 256 else {
      error(
        .invalidAccount, at: location, "\(name.quoted) is not an account",
        hint: "an account is a UPN or an object id: up to 256 bytes without spaces and without `*`")
      return false
    }
    return true
  }
}
