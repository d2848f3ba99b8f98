import GuardModel
import GuardProtocol
import Testing

@Suite struct WipeOrderTests {
  private static let good = """
    {"version":1,"request":"w-7f3k","uid":1000,"app":"com.contoso.portal","account":"work@contoso.com",\
    "directories":["/home/ada/.local/share/contoso/work@contoso.com"]}
    """

  @Test func itReadsWhatItWrites() throws {
    let order = try WipeOrder(parsing: Array(Self.good.utf8))
    #expect(String(decoding: order.text, as: UTF8.self) == Self.good + "\n")
    #expect(try WipeOrder(parsing: order.text) == order)
    #expect(order.fileName == "w-7f3k.json")
    #expect((order.uid, order.app, order.account) == (1000, "com.contoso.portal", "work@contoso.com"))
  }

  @Test(
    arguments: [
      ("\"version\":1", "\"version\":2", .unknownVersion), ("\"version\":1,", "", .badValue("version")),
      ("\"version\":1", "\"version\":1.0", .badValue("version")), ("w-7f3k", "../w", .badValue("request")),
      ("w-7f3k", "", .badValue("request")), ("\"uid\":1000", "\"uid\":0", .badValue("uid")),
      ("\"uid\":1000", "\"uid\":-1", .badValue("uid")), ("\"uid\":1000", "\"uid\":4294967295", .badValue("uid")),
      ("\"uid\":1000", "\"uid\":\"1000\"", .badValue("uid")), ("\"app\"", "\"apps\"", .unknownMember("apps")),
      ("work@contoso.com\",", "a\\u0000b\",", .badValue("account")),
      ("[\"/home", "[7,\"/home", .badValue("directories")),
      ("/home/ada/.local/share/contoso/work@contoso.com", "/home", .badDirectory("/home", .topLevel)),
      ("/home/ada/", "/home/ada/../", .badDirectory("/home/ada/../.local/share/contoso/work@contoso.com", .notPlain)),
    ] as [(String, String, WipeOrderFault)])
  func aDoubtfulOrderIsNone(_ part: String, _ other: String, _ fault: WipeOrderFault) throws {
    let place = try #require(Self.good.firstRange(of: part))
    let text = Self.good.replacingCharacters(in: place, with: other)
    #expect(throws: fault) { try WipeOrder(parsing: Array(text.utf8)) }
  }

  @Test(arguments: ["", "[]", "{", "null", "\"w\"", "\u{FEFF}{}"])
  func aTextThatIsNoObject(_ text: String) {
    #expect(throws: WipeOrderFault.notJSON) { try WipeOrder(parsing: Array(text.utf8)) }
  }

  @Test func aLongText() {
    let text = [UInt8](repeating: 0x20, count: WipeOrder.maximumBytes + 1)
    #expect(throws: WipeOrderFault.tooLong) { try WipeOrder(parsing: text) }
  }

  @Test func aMemberTwice() {
    let text = Self.good.replacingOccurrence(of: "\"uid\":1000", with: "\"uid\":1000,\"uid\":1001")
    #expect(throws: WipeOrderFault.self) { try WipeOrder(parsing: Array(text.utf8)) }
  }

  @Test(arguments: [0, 1, 64, 65])
  func asManyDirectoriesAsAnAppMayHave(_ count: Int) {
    let paths = (0..<count).map { "/srv/contoso/\($0)" }
    let order = try? WipeOrder(request: "w", uid: 1, app: "a", account: "b", directories: paths)
    #expect((order != nil) == (1...64).contains(count))
  }

  /// The longest order that can be made can be read.
  @Test func theLongestOrder() throws {
    let name = String(repeating: "\u{1F4BE}", count: 63)
    let path = String(repeating: "/" + name, count: 16)
    #expect(path.utf8.count <= RemovablePath.maximumBytes)
    let paths = (0..<64).map { path + "/\($0)" }.filter { $0.utf8.count <= RemovablePath.maximumBytes }
    let order = try WipeOrder(request: "w", uid: 1, app: "a", account: "b", directories: paths)
    #expect(try WipeOrder(parsing: order.text) == order)
  }
}

@Suite struct RemovablePathTests {
  @Test(
    arguments: [
      ("/home/ada/data", nil), ("/srv/x", nil), ("/home/adam", nil), ("/home/ada2/x", nil), ("/home/Ada", nil),
      ("", .relative), ("home/ada/x", .relative), ("~/x", .relative), ("/", .root), ("//", .notPlain),
      ("/home", .aboveHome), ("/home/ada", .home), ("/home/ada/", .notPlain), ("/home/ada/.", .notPlain),
      ("/home//ada/x", .notPlain), ("/home/ada/../x", .notPlain), ("/home/ada/x\u{7F}", .notPlain),
      ("/home/ada/x\n", .notPlain), ("/srv", .topLevel), ("/home/ada/...", nil), ("/home/ada/..x", nil),
    ] as [(String, RemovablePath.Fault?)])
  func aPathTells(_ path: String, _ fault: RemovablePath.Fault?) {
    #expect(RemovablePath.fault(path, home: "/home/ada") == fault)
  }

  /// `String` calls them equal; the system has two directories.
  @Test func spellingsOfALetterAreNotEqual() {
    #expect(RemovablePath.fault("/home/e\u{301}va", home: "/home/\u{E9}va") == nil)
    #expect(RemovablePath.fault("/home/\u{E9}va", home: "/home/\u{E9}va") == .home)
  }

  @Test func lengths() {
    let name = String(repeating: "n", count: 255)
    #expect(RemovablePath.fault("/srv/" + name, home: nil) == nil)
    #expect(RemovablePath.fault("/srv/" + name + "n", home: nil) == .tooLong)
    #expect(RemovablePath.fault(String(repeating: "/n", count: 2047), home: nil) == nil)
    #expect(RemovablePath.fault(String(repeating: "/n", count: 2048), home: nil) == .tooLong)
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with other: String) -> String {
    String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
  }

  fileprivate func replacingOccurrence(of part: String, with other: String) -> String {
    firstRange(of: part).map { replacingCharacters(in: $0, with: other) } ?? self
  }
}
