package import GuardModel

/// The part of the state that has to outlive the daemon: the owners of clips, and the spent part of a minute's budget.
///
/// Everything else comes back when clients register again. As a set of changes it holds the differences from the last
/// one taken, each entry whole, so that a later set simply replaces the same entries of an earlier one:
///
///     var changes = KeptState()
///     state.takeChanges(into: &changes)
package struct KeptState: Sendable, Hashable {
  package var selections: [SelectionPlace: KeptSelection] = [:]
  /// The clips that went out with a number and may be handed back.
  package var issued: [ClipSlot: KeptClip] = [:]
  package var budgets: [UInt32: ClipBudget] = [:]
  package var pages = KeptPages()
  package var accounts = KeptAccounts()

  package init() {}

  package var isEmpty: Bool {
    selections.isEmpty && issued.isEmpty && budgets.isEmpty && pages.isEmpty && accounts.isEmpty
  }

  /// Takes over the entries of `newer`.
  package mutating func merge(_ newer: KeptState) {
    selections.merge(newer.selections) { $1 }
    issued.merge(newer.issued) { $1 }
    budgets.merge(newer.budgets) { $1 }
    pages.merge(newer.pages)
    accounts.merge(newer.accounts)
  }
}

/// The pages that viewers show.
package struct KeptPages: Sendable, Hashable {
  /// Nil for a viewer without anything to remember.
  package var pages: [PagePlace: KeptPage?] = [:]
  /// Serials of instances that have ended, and all their viewers with them.
  package var ended: Set<UInt64> = []

  package init() {}

  package var isEmpty: Bool { pages.isEmpty && ended.isEmpty }

  mutating func merge(_ newer: KeptPages) {
    pages.merge(newer.pages) { $1 }
    ended.formUnion(newer.ended)
  }
}

/// One viewer of one program of one user.
package struct PagePlace: Sendable, Hashable {
  package var uid: UInt32
  package var app: String
  /// The instance's serial.
  package var instance: UInt64
  /// The viewer's name; see `KeptPage.everyName`.
  package var viewer: [UInt8]

  package init(uid: UInt32, app: String, instance: UInt64, viewer: [UInt8]) {
    self.uid = uid
    self.app = app
    self.instance = instance
    self.viewer = viewer
  }
}

/// The pages that one viewer shows.
package struct KeptPage: Sendable, Hashable {
  /// An external page, or one that was not judged.
  package var showsExternal: Bool
  /// A window that it opened may show one.
  package var opensExternal: Bool
  /// The URL of the document that was accepted last; nil when there is none, when it is long, or when the viewer shows
  /// unmanaged data.
  package var document: [UInt8]?

  package init(showsExternal: Bool, opensExternal: Bool = false, document: [UInt8]? = nil) {
    self.showsExternal = showsExternal
    self.opensExternal = opensExternal
    self.document = document
  }

  /// Stands for all viewers of an instance without an entry of their own. No viewer has this name.
  package static let everyName: [UInt8] = []
  package static let unknown = KeptPage(showsExternal: true)
}

/// One selection of one display of one user; never `unknown`.
package struct SelectionPlace: Sendable, Hashable {
  package var uid: UInt32
  /// Empty for a display that the app did not name.
  package var display: [UInt8]
  package var selection: Selection

  package init(uid: UInt32, display: [UInt8], selection: Selection) {
    self.uid = uid
    self.display = display
    self.selection = selection
  }
}

/// One of the places in which a user's numbered clips are remembered.
package struct ClipSlot: Sendable, Hashable {
  package var uid: UInt32
  package var index: Int

  package init(uid: UInt32, index: Int) {
    self.uid = uid
    self.index = index
  }

  /// Number of slots for a user.
  package static let count = 256
}

/// Number of scalars in a user's short pastes of one minute; `minute` counts since 1970.
package struct ClipBudget: Sendable, Hashable {
  package var minute: UInt64
  package var used: Int

  package init(minute: UInt64, used: Int) {
    self.minute = minute
    self.used = used
  }
}

/// The content of one selection, and the copies that were asked for and not seen.
package struct KeptSelection: Sendable, Hashable {
  /// Nil when no program saw the content.
  package var clip: KeptClip?
  /// The oldest first.
  package var proposals: [KeptProposal] = []
  /// They are drags that have not ended.
  package var isDrag = false

  package init(clip: KeptClip? = nil) { self.clip = clip }
}

/// A copy that was asked for and not seen.
package struct KeptProposal: Sendable, Hashable {
  package var clip: KeptClip
  package var id: ProposalID
  /// Milliseconds since 1970.
  package var time: UInt64
  package var hasEcho: Bool

  package init(clip: KeptClip, id: ProposalID, time: UInt64, hasEcho: Bool) {
    self.clip = clip
    self.id = id
    self.time = time
    self.hasEcho = hasEcho
  }
}

/// One filling of a selection, in words that mean the same to another daemon: names in place of numbers.
package struct KeptClip: Sendable, Hashable {
  package var owner = KeptOwner.unknownManaged
  /// The app that filled it; nil when no guarded app did.
  package var app: String?
  /// Serial of the instance that filled it.
  package var holder: UInt64?
  package var hasSeveralHolders = false
  package var isLost = false
  package var isDoubted = false
  /// Unicode scalars; nil when not known.
  package var length: Int?
  /// The kinds of data that it offers, as the engine numbers them.
  package var formats: UInt8 = 0
  package var id: ClipID?
  package var awaitsEcho = false
  /// Order of recording, over all users.
  package var order: UInt64 = 0
  /// Anything recorded before this, on other displays as well, is gone.
  package var since: UInt64 = 0

  package init() {}
}

/// The owner of a kept clip.
package enum KeptOwner: Sendable, Hashable {
  /// Some managed account, not known which: the strictest.
  case unknownManaged
  /// All names of the account, so that any of them can bind it under the next policy.
  case account(names: [String])
  /// The account's names; empty for no account.
  case unmanaged(names: [String])
}
