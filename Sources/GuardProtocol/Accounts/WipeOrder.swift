package import GuardModel
internal import JSONText

/// An order of the daemon: remove the files of one account of one app of one person.
///
///     let order = try WipeOrder(
///       request: "w-7f3k", uid: 1000, app: "com.contoso.portal", account: "work@contoso.com",
///       directories: ["/home/ada/.local/share/contoso/work@contoso.com"])
///     order.text    // {"version":1,"request":"w-7f3k","uid":1000,…}
///
/// It lies in `/run/webviewguard/wipe/UID/REQUEST.json`, where only the daemon writes. `webviewguard wipe-files` reads it
/// as that person, removes the directories, and reports by `org.webviewguard.Accounts.FilesRemoved`.
///
/// Everything is checked when an order is made, and again when it is read: an order that cannot be understood as a whole
/// is not carried out in part.
///
/// Source: design, accounts, section 6; ledger WP-02, WP-03.
package struct WipeOrder: Sendable, Hashable {
  /// The wipe that it is a part of; also the name of its file.
  package let request: String
  package let uid: UInt32
  package let app: String
  package let account: String
  /// Absolute paths, each the account's own as a whole.
  package let directories: [String]

  /// The format that this program writes and reads.
  package static let version: Int64 = 1
  /// An app states a few directories, each of which may be spelled two ways.
  package static let mostDirectories = 64
  /// The longest text of an order, in bytes: all directories with names of full length, and escapes.
  package static let maximumBytes = 512 * 1024

  /// - Throws: the first fault.
  package init(
    request: String, uid: UInt32, app: String, account: String, directories: [String]
  ) throws(WipeOrderFault) {
    guard Self.isRequest(request) else { throw .badValue("request") }
    guard uid != 0, uid != .max else { throw .badValue("uid") }
    guard Self.isName(app) else { throw .badValue("app") }
    guard Self.isName(account) else { throw .badValue("account") }
    guard (1...Self.mostDirectories).contains(directories.count) else { throw .badValue("directories") }
    for directory in directories {
      if let fault = RemovablePath.fault(directory, home: nil) { throw .badDirectory(directory, fault) }
    }
    self.request = request
    self.uid = uid
    self.app = app
    self.account = account
    self.directories = directories
  }

  /// Whether a text may be the name of an order: 1 to 64 letters, digits, `-` and `_`.
  package static func isRequest(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isRequestByte)
  }

  /// The name of the order's file.
  package var fileName: String { request + ".json" }

  private static func isRequestByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isName(_ text: String) -> Bool {
    (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}

/// Why a text is no order.
package enum WipeOrderFault: Error, Sendable, Hashable {
  /// It is longer than any order.
  case tooLong
  /// It is no JSON object.
  case notJSON
  /// Another version of the program wrote it.
  case unknownVersion
  /// A member that no order has. It may restrict the order, so the rest is not carried out either.
  case unknownMember(String)
  /// A member is missing, of another type, or out of its range.
  case badValue(String)
  case badDirectory(String, RemovablePath.Fault)
}

extension WipeOrderFault: CustomStringConvertible {
  /// Words for people, to stand behind the name of the file.
  package var description: String {
    switch self {
    case .tooLong: "is longer than \(WipeOrder.maximumBytes) bytes"
    case .notJSON: "is no JSON object"
    case .unknownVersion: "has another version than \(WipeOrder.version)"
    case .unknownMember(let name): "has the unknown member `\(name)`"
    case .badValue(let name): "has no usable `\(name)`"
    case .badDirectory(let path, let fault): "names `\(path)`, which \(fault.words)"
    }
  }
}

extension WipeOrder {
  /// The order as JSON, with a line break at its end.
  package var text: [UInt8] {
    let tree: JSONTree = [
      "version": .int(Self.version), "request": .string(request), "uid": .int(Int64(uid)), "app": .string(app),
      "account": .string(account), "directories": .array(directories.map(JSONTree.string)),
    ]
    return Array((tree.text() + "\n").utf8)
  }

  private static let members = ["version", "request", "uid", "app", "account", "directories"]

  /// Reads an order.
  package init(parsing text: [UInt8]) throws(WipeOrderFault) {
    guard text.count <= Self.maximumBytes else { throw .tooLong }
    guard let tree = try? JSONTree(parsing: text.span), case .object(let found) = tree else { throw .notJSON }
    // Before the other members: those of a later version may be unknown.
    guard let version = tree["version"]?.int else { throw .badValue("version") }
    guard version == Self.version else { throw .unknownVersion }
    if let unknown = found.first(where: { !Self.members.contains($0.key) }) { throw .unknownMember(unknown.key) }
    guard let uid = tree["uid"]?.int.flatMap(UInt32.init(exactly:)) else { throw .badValue("uid") }
    let directories = tree["directories"]?.array
    let paths = directories?.compactMap(\.string) ?? []
    guard paths.count == directories?.count else { throw .badValue("directories") }
    try self.init(
      request: Self.text("request", tree), uid: uid, app: Self.text("app", tree), account: Self.text("account", tree),
      directories: paths)
  }

  private static func text(_ key: String, _ tree: JSONTree) throws(WipeOrderFault) -> String {
    guard let text = tree[key]?.string else { throw .badValue(key) }
    return text
  }
}
