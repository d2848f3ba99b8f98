import GuardService
import Testing

/// Where the state lies when nobody says so.
@Suite struct StatePlaceTests {
  @Test func thereIsAPlaceForEveryUser() throws {
    let directory = try #require(StatePlace.standardDirectory)
    #expect(directory.hasPrefix("/"))
    #expect(directory.hasSuffix("webviewguard"))
  }
}
