import GuardModel
import PolicyEngine
import Testing

/// Programs that do not ask read whatever lies on a selection. CB-17: of a managed clip they are to see a notice only.
struct ClipboardWrapTests {
  private let own: (inout Event) -> Void = { $0.selfOwned = .yes }

  @Test(
    arguments: [
      (.any, false), (.managedWithPasteIn, true), (.managed, true), (.blocked, true),
    ] as [(ClipboardLevel, Bool)])
  func aClipThatMayNotGoAnywhereIsWrapped(_ level: ClipboardLevel, _ isWrapped: Bool) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.level = level })
    let copied = example.clip(.copy, length: 5)
    #expect(Answer(copied) == Answer(.allow, .clipRecorded))
    #expect(copied.flags[.mimeWrap] == isWrapped)
    #expect(example.clip(.clipboardChanged, length: 5, with: own).flags[.mimeWrap] == isWrapped)
  }

  @Test
  func nobodysClipIsLeftAsItIs() throws {
    var example = try Example()
    #expect(!example.clip(.copy, in: "P", length: 5).flags[.mimeWrap])
    #expect(!example.clip(.clipboardChanged, length: 5) { $0.selfOwned = .no }.flags[.mimeWrap])
  }

  /// The app put something there without a `Copy`: a page wrote to the clipboard, or text was marked.
  @Test
  func whatTheAppPutThereByItselfIsWrapped() throws {
    var example = try Example()
    let marked = example.clip(.clipboardChanged, .primary, length: 5, with: own)
    #expect(marked.flags[.mimeWrap] && marked.clip == nil)
    #expect(example.state.report(marked, example.snapshot).replacement != nil)
  }

  /// A budget a minute cannot be counted where nobody asks.
  @Test(
    arguments: [
      (5, nil, true, false), (10, nil, true, false), (11, nil, true, true), (0, nil, true, true),
      (nil, nil, true, true),
      (5, 100, true, true), (5, nil, false, true),
    ] as [(Int?, Int?, Bool, Bool)])
  func aShortTextStaysAsTextOnly(_ length: Int?, _ perMinute: Int?, _ isText: Bool, _ isWrapped: Bool) throws {
    var example = try Example(
      ExamplePolicy().with {
        $0.protection.clipboard.exceptionLength = 10
        $0.protection.clipboard.exceptionPerMinute = perMinute
      })
    let copied = example.clip(.copy, length: length) { $0.offersPlainText = isText }
    #expect(copied.flags[.mimeWrap] == isWrapped)
    #expect(copied.flags[.onlyPlainText] == !isWrapped)
    #expect(copied.limit == (isWrapped ? nil : 10))
  }

  @Test
  func theNoticeIsTheProtectionsOwn() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.replacement = "not for you" })
    let report = example.state.report(example.clip(.copy, length: 5), example.snapshot)
    #expect(report.flags[.mimeWrap] && report.replacement == "not for you")
    #expect(report.message == nil)
  }

  /// F3: an app that cannot wrap leaves the clip open to every program, so that nothing is copied; what it filled all the
  /// same is the account's.
  @Test(
    arguments: [
      ([], nil, DecisionNotes.cannotWrap), (.plainText, nil, .cannotWrap), (.wrap, nil, []), ([], 5, .cannotStrip),
      (.wrap, 5, .cannotStrip), (.plainText, 5, []), (.clipEcho, nil, .cannotWrap),
    ] as [(ClientFeatures, Int?, DecisionNotes)])
  func whatAnAppCannotDoIsBlocked(_ features: ClientFeatures, _ length: Int?, _ missing: DecisionNotes) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.exceptionLength = 10 }, features: features)
    for kind in [EventKind.copy, .clipboardChanged] {
      let decision = example.clip(kind, length: length, with: own)
      #expect(decision.outcome == (missing == [] ? .allow : .block))
      #expect(decision.notes == missing)
      if missing != [] {
        #expect(decision.reason == .orgData && !decision.flags[.mimeWrap] && !decision.flags[.onlyPlainText])
      }
      #expect(example.clip(.paste, in: "P").outcome == .block)
    }
    #expect(Answer(example.clip(.copy, in: "P")) == Answer(.allow, .noManagedIdentity))
  }

  /// The exception for short texts is one for text alone.
  @Test
  func whoCannotStripPastesNoShortTexts() throws {
    var example = try Example(
      ExamplePolicy().with {
        $0.protection.clipboard.exceptionLength = 10
        $0.protection.clipboard.exceptionPerMinute = 12
      }, features: .wrap)
    _ = example.clip(.copy, length: 5)
    for _ in 0..<5 {
      let refused = example.clip(.paste, in: "P", length: 5)
      #expect(Answer(refused) == Answer(.block, .orgData))
      #expect(refused.notes == .cannotStrip && !refused.flags[.onlyPlainText])
    }
    #expect(example.clip(.paste, in: "P", length: 11).notes == [])
    // What was refused took nothing of the minute.
    let notes = try example.attach("com.contoso.notes", as: "")
    #expect(Answer(example.clip(.paste, in: "V", of: notes, length: 5)) == Answer(.allow, .withinLimit))
  }

  /// What only monitors changes nothing that people see.
  @Test
  func aPolicyThatOnlyMonitorsWrapsNothing() throws {
    var protection = try Example(ExamplePolicy().with { $0.protection.monitoredUntil = 100 })
    #expect(!protection.clip(.copy, length: 5).flags[.mimeWrap])
    var app = try Example(ExamplePolicy().with { $0.app.monitoredUntil = 100 })
    #expect(!app.clip(.copy, length: 5).flags[.mimeWrap])
  }
}
