import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What holds of every decision, whatever the policy.
struct PropertyTests {
  /// Families of viewers that have nothing to do with each other, and windows, may come in any order.
  @Test
  func theOrderOfUnrelatedViewersDoesNotMatter() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 2)
    let worlds = RandomWorld(try RandomRules())
    for _ in 0..<Effort.scaled(2_000) {
      let snapshot = worlds.policy(&random)
      let families = ["a", "b", "c"].map { family($0, &random) }
      let windows = ["w0", "w1"].map { ($0, random.one(of: RandomPolicy.accountNames, orNilOneIn: 5)) }
      var first = TwinWorld(snapshot)
      var second = TwinWorld(snapshot)
      build(&first, families, windows)
      build(&second, families.reversed(), windows.reversed())
      for _ in 0..<20 {
        var event = worlds.navigation(first, &random)
        (event.instance, event.scope) = (0, .absent)
        event.viewer = random.one(of: families.flatMap(\.self).map(\.name), orNilOneIn: 6)
        let one = first.decide(first.engineEvent(event), in: 0)
        let other = second.decide(second.engineEvent(event), in: 0)
        #expect(first.plain(one) == second.plain(other), "\(event); \(random.note)")
      }
    }
  }

  private func family(_ name: String, _ random: inout SeededGenerator) -> [ViewerDescription] {
    let root = ViewerDescription(
      name, class: random.one(of: RandomPolicy.classNames, orNilOneIn: 2),
      window: random.one(of: ["w0", "w1"], orNilOneIn: 3))
    let child = ViewerDescription(
      name + "1", class: random.one(of: RandomPolicy.classNames, orNilOneIn: 2), parent: name)
    return [
      root, child,
      ViewerDescription(name + "2", window: random.one(of: ["w0", "w1"], orNilOneIn: 2), opener: name + "1"),
    ]
  }

  private func build(_ world: inout TwinWorld, _ families: [[ViewerDescription]], _ windows: [(String, String?)]) {
    world.attach(app: RandomPolicy.appNames[0], uid: 1000, groups: [100], features: [.wrap, .plainText])
    for (window, account) in windows { world.setIdentity(account, window: window, in: 0) }
    for call in families.flatMap(\.self) { world.register(call, in: 0) }
  }

  /// Leaving a fact out never makes the answer to a managed navigation weaker: block < redirect, handOff < allow.
  ///
  /// One protection, no links, and pages of the web as `from`: between two settings of one strictness there is no
  /// order. What a page made and whose page is not known is external and no more, so that `from` is left out of that.
  /// Files are external in a viewer without rules and as the rules say in an unknown one, so that these are left out,
  /// too. Whoever asks about a part of a page knows that it is one.
  @Test
  func whatIsUnknownIsNeverWeaker() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 3)
    let worlds = RandomWorld(try RandomRules())
    var compared = 0
    for _ in 0..<Effort.scaled(3_000) {
      var world = worlds.plainWorld(&random)
      for _ in 0..<40 {
        var event = worlds.navigation(world, &random)
        event.from = event.from.map { _ in RandomURLs().web(&random) }
        if ReferenceURL(event.url).parts?.scheme == "file" { event.url = RandomURLs().web(&random) }
        let before = world.decide(world.engineEvent(event), in: event.instance)
        guard before.protection != nil else { continue }
        for fact in Fact.allCases where fact != .from || ReferenceURL(event.url).parts != nil {
          if fact == .frame, event.frame == .resource { continue }
          var less = world
          var dropped = event
          less.drop(fact, of: &dropped)
          let after = less.decide(less.engineEvent(dropped), in: dropped.instance)
          compared += 1
          if after.outcome.strength > before.outcome.strength {
            Issue.record(
              "\(event)\nwithout \(fact): \(world.plain(after))\nwith it: \(world.plain(before))\n\(random.note)")
            return
          }
        }
      }
    }
    #expect(compared > Effort.scaled(200_000))
  }

  /// The same of a paste, and of the copy before it. The amendments' order of owners is one of data that goes out:
  /// whether data may come in is left out. So are displays on which nothing was ever recorded, and apps that have not
  /// said whose data they show.
  @Test
  func whatIsUnknownOfAClipIsNeverWeaker() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 4)
    let worlds = RandomWorld(try RandomRules())
    var compared = 0
    for _ in 0..<Effort.scaled(15_000) {
      var world = worlds.plainWorld(&random)
      for display in ["", ":0", "wayland-1"] {
        for selection in [Selection.clipboard, .primary, .drag] {
          var change = clipEvent(.clipboardChanged, worlds, world, &random)
          (change.display, change.selection, change.selfOwned) = (display, selection, false)
          _ = world.decide(world.engineEvent(change), in: change.instance)
        }
      }
      // Fewer than there is room for: with more copies that nobody saw, the owner is unknown on their display.
      for _ in 0..<7 {
        let copy = clipEvent(.copy, worlds, world, &random)
        var paste = clipEvent(.paste, worlds, world, &random)
        (paste.selection, paste.display) = (copy.selection, copy.display)
        for fact in ClipFact.allCases {
          // A drag begins anew what was doubted there: where it is not known, that is another place.
          if fact == .copyDisplay, copy.selection == .drag { continue }
          var paste = paste
          // A length may show a private copy to have happened. A display without a name has that copy, and what was seen
          // there last; a named one has all that came after the copy was asked for.
          if fact == .pasteDisplay { paste.length = nil }
          let before = answer(to: copy, paste, in: world)
          // Such a copy lowers the owner, and unmanaged data may not come in.
          if [.noIdentity, .incomingRestricted, .personalDataOverLimit].contains(before.reason) { continue }
          let after = answer(
            to: fact.isOfCopy ? fact.dropped(from: copy) : copy, fact.isOfCopy ? paste : fact.dropped(from: paste),
            in: world)
          compared += 1
          if after.outcome.strength > before.outcome.strength {
            Issue.record("\(copy)\n\(paste)\nwithout \(fact): \(after), with it: \(before)\n\(random.note)")
            return
          }
        }
        _ = world.decide(world.engineEvent(clipEvent(.clipboardChanged, worlds, world, &random)), in: 0)
        _ = world.decide(world.engineEvent(copy), in: copy.instance)
      }
    }
    #expect(compared > Effort.scaled(300_000))
  }

  private func clipEvent(
    _ kind: EventKind, _ worlds: RandomWorld, _ world: TwinWorld, _ random: inout SeededGenerator
  ) -> ModelClipEvent {
    var event = worlds.clipEvent(world, [], time: 119_999, &random)
    event.kind = kind
    event.claim = .none
    return event
  }

  private func answer(to copy: ModelClipEvent, _ paste: ModelClipEvent, in world: TwinWorld) -> ModelDecision {
    var world = world
    _ = world.decide(world.engineEvent(copy), in: copy.instance)
    let decision = world.decide(world.engineEvent(paste), in: paste.instance)
    return world.plain(decision)
  }

  /// Buffers are used again from one decision to the next; nothing in them is.
  @Test
  func aDecisionDoesNotDependOnThePreviousURL() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 5)
    let worlds = RandomWorld(try RandomRules())
    for _ in 0..<Effort.scaled(2_000) {
      let world = worlds.world(&random)
      for _ in 0..<20 {
        var fresh = world
        var used = world
        let event = worlds.navigation(world, &random)
        for _ in 0..<3 {
          let other = worlds.navigation(world, &random)
          _ = used.decide(used.engineEvent(other), in: other.instance)
        }
        let one = fresh.decide(fresh.engineEvent(event), in: event.instance)
        let other = used.decide(used.engineEvent(event), in: event.instance)
        #expect(fresh.plain(one) == used.plain(other), "\(event); \(random.note)")
        #expect(fresh.state.readURLs == used.state.readURLs)
        #expect(fresh.state.report(one, world.snapshot).message == used.state.report(other, world.snapshot).message)
      }
    }
  }
}

extension Outcome {
  /// How much it lets happen.
  fileprivate var strength: Int {
    switch self {
    case .block: 0
    case .redirect, .handOff: 1
    case .allow, .warn, .redact, .switchIdentity: 2
    }
  }
}

/// Something that an app may not know.
private enum Fact: CaseIterable {
  case viewer, url, from, hop, frame, sameDocument, document, registration
}

extension TwinWorld {
  fileprivate mutating func drop(_ fact: Fact, of event: inout ModelNavigation) {
    switch fact {
    case .viewer: event.viewer = nil
    case .url: event.url = nil
    case .from: event.from = nil
    case .hop: event.hop = nil
    case .frame: event.frame = .unknown
    case .sameDocument: event.isSameDocument = false
    case .document: if let viewer = event.viewer { setDocument(nil, viewer, in: event.instance) }
    case .registration: if let viewer = event.viewer { forget(viewer, in: event.instance) }
    }
  }
}

private enum ClipFact: CaseIterable {
  case copySelection, copyDisplay, copyLength, pasteViewer, pasteSelection, pasteDisplay, pasteLength, pasteFormats

  var isOfCopy: Bool { self == .copySelection || self == .copyDisplay || self == .copyLength }

  func dropped(from event: ModelClipEvent) -> ModelClipEvent {
    var less = event
    switch self {
    case .copySelection, .pasteSelection: if event.selection != .drag { less.selection = .unknown }
    case .copyDisplay, .pasteDisplay: less.display = ""
    case .copyLength, .pasteLength: less.length = nil
    case .pasteViewer: less.viewer = nil
    case .pasteFormats: less.offersPlainText = false
    }
    return less
  }
}
