import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// A program that comes back to a restarted daemon: until it has said again whose data it shows, nothing is weaker.
struct ReturningTests {
  private let url = "https://www.example.net/"

  /// A case of the property in `KeepingTests`: what such a program put on the clipboard was once nobody's.
  @Test
  func whatAProgramInDebtPutsOnTheClipboardIsAnUnknownOwners() throws {
    var example = try Example(as: nil)
    example.state.resume(example.portal, owesIdentity: true)
    let decision = example.clip(.clipboardChanged) { $0.selfOwned = .yes }
    #expect(decision.clipOwner == .unknownManaged)
    try example.set("")
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .ownerUnknown))
  }

  /// One window's word was once taken for all of them.
  @Test
  func everyWindowOwesItsOwn() throws {
    var example = try Example(as: nil)
    for window in ["a", "b", "c"] {
      try example.register(ViewerDescription(window, class: "documents", window: window))
    }
    example.state.resume(example.portal, owesIdentity: false, windows: [key("a"), key("b")])
    try example.set("work@contoso.com", window: "a")
    #expect(example.navigate(url, in: "a").reason != .noIdentity)
    #expect(Answer(example.navigate(url, in: "b")) == Answer(.block, .noIdentity))
    #expect(Answer(example.navigate(url, in: "c")) == Answer(.allow, .noIdentity))
    #expect(Answer(example.navigate(url, in: "unknown")) == Answer(.block, .noIdentity))
    #expect(example.clip(.clipboardChanged) { $0.selfOwned = .yes }.clipOwner == .unknownManaged)
    // What windows inherit says nothing of one that had its own.
    try example.set("")
    #expect(Answer(example.navigate(url, in: "b")) == Answer(.block, .noIdentity))
    #expect(Answer(example.navigate(url, in: "P")) == Answer(.allow, .noManagedIdentity))
    try example.set(nil, window: "b")
    #expect(Answer(example.navigate(url, in: "b")) == Answer(.allow, .noManagedIdentity))
  }

  @Test
  func aWindowsWordDoesNotPayForTheProcess() throws {
    var example = try Example(as: nil)
    try example.register(ViewerDescription("a", class: "documents", window: "a"))
    example.state.resume(example.portal, owesIdentity: true)
    try example.set("", window: "a")
    #expect(Answer(example.navigate(url, in: "a")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.navigate(url, in: "D")) == Answer(.block, .noIdentity))
    #expect(Answer(example.navigate(url, in: "unknown")) == Answer(.block, .noIdentity))
  }

  /// Windows that were closed meanwhile are never spoken of again.
  @Test
  func windowsAreForgivenInTime() throws {
    var example = try Example(as: nil)
    example.state.resume(example.portal, owesIdentity: false, windows: [key("closed")])
    #expect(Answer(example.navigate(url, in: "unknown")) == Answer(.block, .noIdentity))
    example.state.forgiveWindows(of: example.portal)
    #expect(example.navigate(url, in: "unknown").reason == .noIdentity)
    #expect(example.navigate(url, in: "unknown").outcome == .allow)
  }

  private func key(_ window: String) -> UInt64 { WindowKey.key(of: Array(window.utf8).span) }
}
