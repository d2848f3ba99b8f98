import GuardModel
import PolicyEngine
import Testing

import GuardService

/// Which pages of a viewer the log may name, when the viewer was private once.
@Suite struct PrivateViewersTests {
  private func url(_ text: String) throws -> URLText { try #require(URLText(reading: text)) }
  private let tab = PrivateViewers.key(of: "tab")
  private let other = PrivateViewers.key(of: "other")

  @Test func aViewerThatNeverWasPrivateHasNoSecrets() throws {
    var viewers = PrivateViewers()
    #expect(viewers.isEmpty)
    #expect(viewers.mayName(try url("https://a.example/"), in: tab))
    viewers.name(try url("https://a.example/"), in: tab)
    #expect(viewers.isEmpty)
  }

  @Test func whatItLeavesBehindIsNotNamed() throws {
    var viewers = PrivateViewers()
    viewers.note(tab)
    #expect(!viewers.mayName(try url("https://private.example/"), in: tab))
    #expect(viewers.mayName(try url("https://private.example/"), in: other))
  }

  @Test func whatWasJudgedSinceMayBeNamedAndAgainNotWhenItIsPrivateAgain() throws {
    var viewers = PrivateViewers()
    viewers.note(tab)
    viewers.name(try url("https://a.example/x#top"), in: tab)
    #expect(viewers.mayName(try url("https://a.example/x"), in: tab))
    #expect(viewers.mayName(try url("https://a.example/x#end"), in: tab))
    #expect(!viewers.mayName(try url("https://a.example/y"), in: tab))
    viewers.note(tab)
    #expect(!viewers.mayName(try url("https://a.example/x"), in: tab))
  }

  @Test func whatIsForgottenIsNotNamed() throws {
    var viewers = PrivateViewers()
    viewers.note(tab)
    for number in 0..<40 { viewers.name(try url("https://a.example/\(number)"), in: tab) }
    #expect(!viewers.mayName(try url("https://a.example/0"), in: tab))
    #expect(viewers.mayName(try url("https://a.example/39"), in: tab))
  }

  /// Beyond the cap every viewer counts as one that was private.
  @Test func moreThanAreKeptApartAreAllPrivate() throws {
    var viewers = PrivateViewers()
    for number in 0..<5000 { viewers.note(PrivateViewers.key(of: "v\(number)")) }
    #expect(!viewers.mayName(try url("https://private.example/"), in: PrivateViewers.key(of: "v0")))
    #expect(!viewers.mayName(try url("https://private.example/"), in: other))
    viewers.name(try url("https://a.example/"), in: other)
    #expect(viewers.mayName(try url("https://a.example/"), in: other))
  }

  @Test func ofAProgramThatCameBackNobodyKnows() throws {
    var viewers = PrivateViewers(takesAll: true)
    #expect(!viewers.isEmpty)
    #expect(!viewers.mayName(try url("https://private.example/"), in: tab))
    viewers.name(try url("https://a.example/"), in: tab)
    #expect(viewers.mayName(try url("https://a.example/"), in: tab))
  }

  @Test func thatADocumentIsNotKnownIsToldOnce() {
    var viewers = PrivateViewers()
    viewers.note(tab)
    let told = [viewers.losesDocument(tab), viewers.losesDocument(tab)]
    #expect(told == [true, false])
    viewers.hasDocument(tab)
    let again = viewers.losesDocument(tab)
    #expect(again)
  }
}
