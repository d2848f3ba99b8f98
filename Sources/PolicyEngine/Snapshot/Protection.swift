internal import GuardModel

/// The organisation's app-protection settings for the accounts it binds.
package struct Protection: Sendable {
  package var name: String
  /// `work@contoso.com`, or `*@contoso.com` for every account of a domain; lower case.
  package var accountPatterns: [String] = []
  /// Unix groups whose members' accounts it binds.
  package var groups: [UInt32] = []
  package var webTransfer = WebTransfer.any
  package var clipboard = ClipboardSettings()
  package var send = SendLevel.any
  package var telecommunication = SchemeClassSetting.any
  package var messaging = SchemeClassSetting.any
  /// Schemes that may leave for any program, in lower case.
  package var exemptSchemes: [[UInt8]] = []
  /// Schemes that belong to managed programs, in lower case.
  package var managedSchemes: [[UInt8]] = []
  package var location = ""

  package init(name: String) { self.name = name }
}

/// What external web pages mean (ledger WT-01). Later cases are stricter.
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

/// Cut, copy and paste (ledger CB-01 to CB-08).
package struct ClipboardSettings: Sendable {
  package var level = ClipboardLevel.any
  /// Texts up to this many Unicode scalars are excepted; 0 excepts none.
  package var exceptionLength = 0
  /// Scalars that exceptions may let through in one minute; nil sets no budget.
  package var exceptionPerMinute: Int?
  /// What a toolkit may insert in place of a refused paste.
  package var replacement = "Your organization's data cannot be pasted here."

  package init() {}
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

/// Telecommunication and messaging schemes have a setting of their own (ledger US-06, US-07).
package enum SchemeClassSetting: String, Sendable, Hashable, CaseIterable {
  case any
  case none
}
