package import GuardModel

/// The organisation's app-protection settings for the accounts it binds.
package struct Protection: Sendable {
  package var name: String
  /// `work@contoso.com`, or `*@contoso.com` for every account of a domain; lower case.
  package var accountPatterns: [String] = []
  /// Unix groups whose members' accounts it binds.
  package var groups: [UInt32] = []
  package var webTransfer = WebTransfer.any
  /// The owner of a shown external page, if data goes into it (ledger WV-31, D-08).
  package var externalInPlace = ExternalInPlace.managed
  package var clipboard = ClipboardSettings()
  package var send = SendLevel.any
  package var receive = ReceiveLevel.any
  /// Copies of the organisation's data in places (ledger SL-12, SL-13); see `EffectiveSettings`.
  package var save = LocationSettings()
  /// Data of places in the organisation's documents (ledger OL-07, OL-08); see `EffectiveSettings`.
  package var open = LocationSettings(exceptions: .openDefault)
  /// Programs that count as managed although they are no apps of the policy: names of desktop files.
  package var managedApps: [[UInt8]] = []
  package var printing = Permission.allow
  package var screenCapture = Permission.allow
  package var notifications = NotificationLevel.allow
  /// Search indexes; see `EffectiveSettings`.
  package var indexing = Permission.allow
  package var contacts = Permission.allow
  package var widgets = Permission.allow
  package var backup = Permission.allow
  /// See `EffectiveSettings`.
  package var assistants = Permission.allow
  /// nil: as `assistants` (D-40).
  package var automation: Permission?
  package var writingTools = Permission.allow
  package var inputMethods = Permission.allow
  /// A copy's content must have passed a content scanner (ledger CB-13).
  package var requiresInspection = false
  /// Stored data must be encrypted (ledger FE-01).
  package var encrypt = true
  /// How, where it must be: one of `FileEncryption.ways` (ledger SD-07). `fileEncryption` is both in one word.
  package var encryptBy = FileEncryption.envelope
  package var telecommunication = SchemeClassSetting.any
  package var messaging = SchemeClassSetting.any
  /// Schemes that may leave for any program, in lower case.
  package var exemptSchemes: [[UInt8]] = []
  /// Schemes that belong to managed programs, in lower case.
  package var managedSchemes: [[UInt8]] = []
  /// The unlocking that must come before an account of it is shown (ledger IS-02, MI-22).
  package var unlock = Unlock.none
  /// Milliseconds without anybody there, after which a person who unlocked by `polkit` has to do so again (ledger CD-04).
  package var recheckAfter: UInt64 = 30 * 60_000
  /// The conditions that have to hold before its accounts may work.
  package var conditions: [LaunchCondition] = []
  /// Milliseconds for which accounts go on although nothing is known of a condition (ledger CD-03).
  package var notCheckedAfter: UInt64 = 1440 * 60_000
  /// Until this second, since 1970 UTC, restrictions by its settings are recorded and not enforced; nil: they are
  /// enforced.
  package var monitoredUntil: Int64?
  /// Events that its own settings would block, but that the user may do after a justification.
  package var warn: EventSet = []
  package var location = ""

  package init(name: String) { self.name = name }
}

extension Protection {
  /// It only monitors. A snapshot has no clock: it does not contain monitoring that is over.
  package var isMonitored: Bool { monitoredUntil != nil }

  /// How apps have to encrypt the files of its accounts; `none` where they need not.
  package var fileEncryption: FileEncryption { encrypt ? encryptBy : .none }
}

/// The unlocking that must come before an account is shown.
package enum Unlock: String, Sendable, Hashable, CaseIterable {
  case none
  /// The app's own gates, and only those of an app that the policy trusts for it.
  case app
  /// The daemon itself asks the person, by polkit and the machine's way to authenticate (ledger CD-05).
  case polkit
}

/// The treatment of external web pages (ledger WT-01). Later cases are stricter.
package enum WebTransfer: UInt8, Sendable, Hashable, CaseIterable {
  case any = 0
  case unmanagedBrowser
  case managedBrowser
  case block

  package var name: String {
    switch self {
    case .any: "any"
    case .unmanagedBrowser: "unmanagedBrowser"
    case .managedBrowser: "managedBrowser"
    case .block: "block"
    }
  }
}

/// The owner of an external page that a viewer shows, for data that is pasted, dropped or uploaded there (ledger
/// WV-31).
package enum ExternalInPlace: String, Sendable, Hashable, CaseIterable {
  /// The viewer's account, as in the SDK.
  case managed
  /// Unmanaged.
  case unmanaged
}

/// Cut, copy and paste (ledger CB-01 to CB-08).
package struct ClipboardSettings: Sendable {
  package var level = ClipboardLevel.any
  /// Texts up to this many Unicode scalars are excepted; 0 excepts none.
  package var exceptionLength = 0
  /// Scalars that exceptions may let through in one minute; nil sets no budget.
  package var exceptionPerMinute: Int?
  /// The text that a toolkit may insert in place of a refused paste; nil leaves it to the policy's texts (`UserTexts`).
  package var replacement: String?

  package init() {}

  package static let standardReplacement = "Your organization's data cannot be pasted here."
}

package enum ClipboardLevel: String, Sendable, Hashable, CaseIterable {
  case any
  case managedWithPasteIn
  case managed
  case blocked
}

/// Send organisation data to other apps (ledger DT-01).
package enum SendLevel: String, Sendable, Hashable, CaseIterable {
  case any
  case none
  case managed
  case managedOsSharing
  case managedFiltered

  package var isManaged: Bool { self != .any && self != .none }
}

/// Receive data from other apps (ledger DT-07).
package enum ReceiveLevel: String, Sendable, Hashable, CaseIterable {
  case any
  case none
  case managed
  /// From any app; unmanaged data becomes the receiving account's (DT-09).
  case anyTagOrg
}

/// Whether something may happen at all.
package enum Permission: String, Sendable, Hashable, CaseIterable {
  case allow
  case block
}

/// Notifications of a managed account (ledger NT-01).
package enum NotificationLevel: String, Sendable, Hashable, CaseIterable {
  case allow
  /// A text without details.
  case blockOrgData
  case block
}

/// The places that data may go to, or come from.
package struct LocationSettings: Sendable, Hashable {
  package var allowed: Bool
  /// Places that are allowed although the others are not; without effect where all are allowed.
  package var exceptions: LocationSet

  package init(allowed: Bool = true, exceptions: LocationSet = []) {
    self.allowed = allowed
    self.exceptions = exceptions
  }
}

/// Telecommunication and messaging schemes have a setting of their own (ledger US-06, US-07).
package enum SchemeClassSetting: Sendable, Hashable {
  case any
  case none
  /// One program only: the dialer or the messaging app that the organisation names.
  case program(Program)
}
