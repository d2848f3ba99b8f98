import AccountKeys
import GuardModel
import GuardService
import PolicyEngine
import TestSupport

extension StateRecords {
  /// Anything, over few keys, so that later changes meet earlier ones.
  static func random(_ random: inout SeededGenerator) -> StateRecords {
    var records = StateRecords()
    for _ in 0..<random.below(6) {
      let selection = random.one(of: [Selection.clipboard, .primary, .drag])
      let display = random.one(of: [[], Array(":0".utf8), [0, 255, 7]])
      let place = SelectionPlace(uid: UInt32(random.below(3)), display: display, selection: selection)
      records.clips.selections[place] = .random(&random)
    }
    for _ in 0..<random.below(6) {
      var clip = KeptClip.random(&random)
      clip.id = ClipID(epoch: random.next(), number: random.next())
      records.clips.issued[ClipSlot(uid: UInt32.max, index: random.below(ClipSlot.count))] = clip
    }
    if random.oneIn(2) { records.clips.budgets[7] = ClipBudget(minute: random.next() >> 8, used: random.below(99)) }
    for _ in 0..<random.below(4) {
      let instance = KeptInstance(
        uid: 0, app: "ä", serial: random.next() >> 1, hasIdentity: random.oneIn(2),
        windows: Set((0..<random.below(3)).map { _ in random.next() }), record: random.next())
      records.instances["token\(random.below(5))"] = .some(random.oneIn(3) ? nil : instance)
    }
    for _ in 0..<random.below(6) {
      let file = SixteenBytes(high: UInt64(random.below(3)), low: .max)
      let owner = AccountTag(foldedName: random.one(of: ["work@contoso.com", "second@contoso.com"]))
      records.files[FilePlace(person: UInt32(random.below(3)), file: file)] = owner
    }
    for _ in 0..<random.below(3) {
      let id = "0000000\(random.below(5))"
      let kept = try? KeptException.random(&random, id: id)
      records.exceptions[id] = .some(random.oneIn(3) ? nil : kept)
    }
    for _ in 0..<random.below(6) {
      let place = PagePlace(
        uid: 7, app: "ä", instance: UInt64(random.below(3)), viewer: random.one(of: [[], [0, 255]]))
      records.clips.pages.pages[place] = .some(random.oneIn(3) ? nil : .random(&random))
    }
    // An instance that has ended shows nothing any more.
    if random.oneIn(5) { records.clips.pages.ended.insert(3) }
    for _ in 0..<random.below(6) {
      let place = KeptMemberPlace(
        person: UInt32(random.below(2)), app: random.one(of: ["ä", "b"]),
        account: random.one(of: ["a@b", "ü\u{0}\n", "c"]))
      records.clips.accounts.members[place] = .some(random.oneIn(3) ? nil : .random(&random))
    }
    for _ in 0..<random.below(3) {
      let place = KeptWordPlace(
        person: UInt32(random.below(2)), source: random.one(of: AccountSource.allCases))
      records.clips.accounts.words[place] = .random(&random)
    }
    if random.oneIn(3) {
      records.clips.accounts.remediations = (0..<random.below(3)).map { number in
        KeptRemediation(
          request: "look-\(number)", person: UInt32(random.below(2)), app: random.one(of: ["ä", "b"]),
          account: random.one(of: ["a@b", "ü\u{0}\n"]), isSilent: random.oneIn(2), askedAt: random.next() >> 20 | 1)
      }
    }
    records.latest = random.oneIn(2) ? random.next() >> 16 : nil
    return records
  }
}

extension KeptMember {
  static func random(_ random: inout SeededGenerator) -> KeptMember {
    KeptMember(
      random.one(of: KeptMember.Status.allCases), isByApp: random.oneIn(2), registeredAt: random.next() >> 20 | 1,
      enrolledAt: random.one(of: [random.next() >> 20 | 1], orNilOneIn: 2), checkedInAt: random.next() >> 20 | 1,
      triedAt: random.next() >> 20 | 1)
  }
}

extension KeptWord {
  static func random(_ random: inout SeededGenerator) -> KeptWord {
    var word = KeptWord(accounts: [], time: random.next() >> 20 | 1)
    for _ in 0..<random.below(4) {
      let names = SignedInAccount(
        upn: random.one(of: ["a@b", "ü\u{0}\n"], orNilOneIn: 3), objectID: random.one(of: ["6d5c"], orNilOneIn: 2))
      if !names.all.isEmpty { word.accounts.append(names) }
    }
    return word
  }
}

extension KeptPage {
  static func random(_ random: inout SeededGenerator) -> KeptPage {
    KeptPage(
      showsExternal: random.oneIn(2), opensExternal: random.oneIn(2),
      document: random.one(of: [Array("https://contoso.com/".utf8), []], orNilOneIn: 3))
  }
}

extension KeptSelection {
  static func random(_ random: inout SeededGenerator) -> KeptSelection {
    var selection = KeptSelection(clip: .random(&random))
    for _ in 0..<random.below(9) {
      let id = ProposalID(epoch: random.next(), number: random.next())
      selection.proposals.append(
        KeptProposal(clip: .random(&random), id: id, time: random.next() >> 20, hasEcho: random.oneIn(2)))
    }
    // Copies that nobody saw may stand alone.
    if !selection.proposals.isEmpty, random.oneIn(3) { selection.clip = nil }
    return selection
  }
}

extension KeptClip {
  static func random(_ random: inout SeededGenerator) -> KeptClip {
    var clip = KeptClip()
    clip.owner = random.one(of: [
      .unknownManaged, .unmanaged(names: []), .unmanaged(names: ["c@d"]), .account(names: ["a@b", "ü\u{0}\n"]),
    ])
    clip.app = random.one(of: ["", "com.contoso.portal"], orNilOneIn: 3)
    clip.holder = random.one(of: [random.next() >> 1], orNilOneIn: 3)
    clip.hasSeveralHolders = random.oneIn(2)
    clip.length = random.one(of: [0, 5, Int.max], orNilOneIn: 3)
    clip.awaitsEcho = random.oneIn(2)
    (clip.isLost, clip.isDoubted) = (random.oneIn(2), random.oneIn(2))
    clip.formats = UInt8(random.below(256))
    clip.since = random.next() >> 1
    clip.order = random.next() >> 1
    return clip
  }
}
