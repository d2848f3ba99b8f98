import DecisionLog
import Testing

@Suite struct AccountPseudonymsTests {
  /// From Python: `"acct:" + hmac.new(key, account.encode(), hashlib.sha256).hexdigest()[:20]`.
  @Test(arguments: [
    ("work@contoso.com", "acct:ba73f6075026d25eadf5"),
    ("6d5c0000-0000-4000-8000-000000000001", "acct:52486f3b19128b6b0de9"),
    ("josé@contoso.com", "acct:515d26c3926621b40d24"),
    (String(repeating: "a", count: 300), "acct:9a5a9c7d591aef0f99b4"), ("", ""),
  ])
  func namesAreThoseOfTheVectors(_ account: String, _ name: String) throws {
    var pseudonyms = try #require(AccountPseudonyms(key: testKey))
    #expect(pseudonyms.name(of: account) == name)
    #expect(pseudonyms.name(of: account) == name, "from memory")
  }

  @Test func keysLongerThanABlockAreHashed() throws {
    var pseudonyms = try #require(AccountPseudonyms(key: Array(0..<100)))
    #expect(pseudonyms.name(of: "work@contoso.com") == "acct:9e2c9958d64bba5ff486")
  }

  @Test func aKeyThatCanBeGuessedIsRefused() {
    #expect(AccountPseudonyms(key: []) == nil)
    #expect(AccountPseudonyms(key: Array(repeating: 1, count: 15)) == nil)
    #expect(AccountPseudonyms(key: Array(repeating: 1, count: 16)) != nil)
  }

  @Test func namesStayTheSameWhenTheMemoryIsFull() throws {
    var pseudonyms = try #require(AccountPseudonyms(key: testKey))
    for index in 0..<5000 { _ = pseudonyms.name(of: "a\(index)") }
    #expect(pseudonyms.name(of: "work@contoso.com") == "acct:ba73f6075026d25eadf5")
  }
}
