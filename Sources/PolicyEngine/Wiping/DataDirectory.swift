package import GuardModel

/// A directory in which an app keeps the data of one account, as the policy names it (`apps.APP.dataDirectories`).
///
///     let directory = try DataDirectory("~/.local/share/contoso/{account}")
///     try directory.path(upn: "work@contoso.com", objectID: nil, home: "/home/ada")
///     // /home/ada/.local/share/contoso/work@contoso.com
///
/// A wipe removes it as a whole, so it has to be the account's alone: the path has `{account}` or `{objectId}`.
///
/// The attack: an account with the name `..`, `.ssh` or `share` makes `~/.local/{account}` another directory than the
/// administrator meant. Therefore only a UPN stands in for `{account}` and only a GUID for `{objectId}`, a name with `/`,
/// a control character or a leading `.` never does, and the path is judged again when it is complete.
///
/// Source: design, accounts, section 6.
package struct DataDirectory: Sendable, Hashable {
  /// As the policy has it.
  package let text: String
  private let isBelowHome: Bool
  /// Each name of the path below the home or the root.
  private let names: [[Part]]

  fileprivate enum Part: Sendable, Hashable {
    case literal(String)
    case account
    case objectID
  }

  /// Why a text names no directory of one account.
  package enum Fault: Error, Sendable, Hashable {
    case path(RemovablePath.Fault)
    /// Every account would have the same directory.
    case noPlaceholder
    case unknownPlaceholder(String)
    /// It lies directly below `/`, or below a directory there: what stands in for the placeholder may be anybody's.
    case notDeepEnough
  }

  /// - Throws: the first fault of a pattern.
  package init(_ text: String) throws(Fault) {
    self.text = text
    isBelowHome = text.utf8.starts(with: "~/".utf8)
    guard text != "~" else { throw .path(.home) }
    // A home of letters: only the rest of the path is judged here.
    let path = isBelowHome ? Self.sampleHome + text.dropFirst(1) : text
    if let fault = RemovablePath.fault(path, home: isBelowHome ? Self.sampleHome : nil) { throw .path(fault) }
    let rest = text.utf8.dropFirst(isBelowHome ? 2 : 1)
    var names: [[Part]] = []
    for name in rest.split(separator: UInt8(ascii: "/")) {
      names.append(try Self.parts(String(decoding: name, as: UTF8.self)))
    }
    self.names = names
    guard let first = names.firstIndex(where: { $0.contains { $0.isPlaceholder } }) else { throw .noPlaceholder }
    guard first >= (isBelowHome ? 1 : 2) else { throw .notDeepEnough }
  }

  private static let sampleHome = "/home/x"

  private static func parts(_ name: String) throws(Fault) -> [Part] {
    var parts: [Part] = []
    var rest = name[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
        throw .unknownPlaceholder(String(rest[open...]))
      }
      if open > rest.startIndex { parts.append(.literal(String(rest[..<open]))) }
      switch rest[open...close] {
      case "{account}": parts.append(.account)
      case "{objectId}": parts.append(.objectID)
      default: throw .unknownPlaceholder(String(rest[open...close]))
      }
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    return parts
  }
}

extension DataDirectory {
  /// Why an account has no such directory.
  package enum PathFault: Error, Sendable, Hashable {
    /// The policy or the app knows no UPN of the account, and the path needs one.
    case noAccount
    case noObjectID
    /// The value for a placeholder is no UPN, no GUID, or no name of a directory.
    case unsafeName(String)
    case path(RemovablePath.Fault)
  }

  /// The directory of an account in a home.
  ///
  /// - Parameter home: absolute, without a `/` at its end.
  package func path(upn: String?, objectID: String?, home: String) throws(PathFault) -> String {
    if let fault = RemovablePath.fault(home, home: nil), fault != .topLevel { throw .path(fault) }
    var path = isBelowHome ? home : ""
    for name in names {
      path += "/"
      for part in name {
        switch part {
        case .literal(let text): path += text
        case .account: path += try Self.upn(upn)
        case .objectID: path += try Self.objectID(objectID)
        }
      }
    }
    if let fault = RemovablePath.fault(path, home: home) { throw .path(fault) }
    return path
  }

  /// Whether one of two directories lies in the other, or is the other, for every account.
  ///
  ///     try DataDirectory("/srv/contoso/{account}").overlaps(DataDirectory("/srv/contoso/{account}/cache"))    // true
  package func overlaps(_ other: DataDirectory) -> Bool {
    isBelowHome == other.isBelowHome && zip(names, other.names).allSatisfy { $0 == $1 }
  }

  private static func upn(_ name: String?) throws(PathFault) -> String {
    guard let name else { throw .noAccount }
    let sides = name.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard sides.count == 2, sides.allSatisfy({ !$0.isEmpty }), isName(name) else { throw .unsafeName(name) }
    return name
  }

  private static func objectID(_ name: String?) throws(PathFault) -> String {
    guard let name else { throw .noObjectID }
    guard AccountName.isGUID(name[...]) else { throw .unsafeName(name) }
    return name
  }

  /// One name that hides nothing and leads nowhere.
  private static func isName(_ text: String) -> Bool {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    return isPlain && text.utf8.first != UInt8(ascii: ".")
  }
}

extension DataDirectory.Part {
  fileprivate var isPlaceholder: Bool { self != .literal(text) }

  private var text: String {
    if case .literal(let text) = self { return text }
    return ""
  }
}

extension App {
  /// The directories of an account of this app, for a ``WipeOrder``; each once.
  ///
  ///     app.directories(upn: "Work@contoso.com", objectID: nil, home: "/home/ada").paths
  ///     // ["/home/ada/.local/share/contoso/Work@contoso.com", "/home/ada/.local/share/contoso/work@contoso.com"]
  ///
  /// Accounts are compared without case, file names are not: a name with capitals has a directory for each spelling.
  ///
  /// - Returns: the paths, and the directories of the policy that this account has none of, with the reason.
  package func directories(
    upn: String?, objectID: String?, home: String
  ) -> (paths: [String], refused: [(directory: DataDirectory, reason: DataDirectory.PathFault)]) {
    var paths: [String] = []
    var refused: [(directory: DataDirectory, reason: DataDirectory.PathFault)] = []
    for directory in dataDirectories {
      do throws(DataDirectory.PathFault) {
        let spelled = try directory.path(upn: upn, objectID: objectID, home: home)
        let folded = try directory.path(
          upn: upn.map(AccountName.fold), objectID: objectID.map(AccountName.fold), home: home)
        for path in [spelled, folded] where !paths.contains(where: { $0.utf8.elementsEqual(path.utf8) }) {
          paths.append(path)
        }
      } catch {
        refused.append((directory, error))
      }
    }
    return (paths, refused)
  }
}

/// The directories that an app has for an account, before the home of its person is known: that is looked up beside the loop.
///
///     snapshot.dataPlaces(of: "work@contoso.com", in: "com.contoso.portal")?.directories(home: "/home/ada").paths
///     // ["/home/ada/.local/share/contoso/work@contoso.com"]
package struct DataPlaces: Sendable {
  private let app: App
  private let upn: String?
  private let objectID: String?

  fileprivate init(_ app: App, upn: String?, objectID: String?) {
    (self.app, self.upn, self.objectID) = (app, upn, objectID)
  }

  /// As the policy has them.
  package var patterns: [String] { app.dataDirectories.map(\.text) }

  package func directories(
    home: String
  ) -> (paths: [String], refused: [(directory: DataDirectory, reason: DataDirectory.PathFault)]) {
    app.directories(upn: upn, objectID: objectID, home: home)
  }
}

extension Snapshot {
  /// Nil for an app that the policy does not have. An account that it does not name has the name alone.
  package func dataPlaces(of account: String, in app: String) -> DataPlaces? {
    guard let index = self.app(named: app) else { return nil }
    let entry = accounts.entry(named: AccountName.fold(account)).map { accounts.entries[$0] }
    return DataPlaces(self[index], upn: entry == nil ? account : entry?.upn, objectID: entry?.objectID)
  }
}
