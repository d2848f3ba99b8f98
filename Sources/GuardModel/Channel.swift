/// The channel of an `exchange`.
public enum Channel: UInt8, Sendable, Hashable, CaseIterable {
  /// The app could not tell: a ban on any channel applies to it.
  case unknown = 0
  /// A browser extension talks with its host program; judged as sharing (ledger SW-01).
  case nativeMessaging
  /// Voice assistants and search providers (SI-01).
  case assistant
  /// Actions that other programs start: D-Bus, remote debugging (SI-02).
  case automation
  /// Programs that write and rewrite text, or draw pictures from it (SC-03).
  case writingTools
  /// Keyboards and dictation that send the typed text elsewhere (CB-16).
  case inputMethod
  /// The organisation's contacts in the desktop's address book (FC-01).
  case contacts
  /// Desktop widgets, the tray, add-ins (FC-02).
  case widgets
  /// Copies of the app's data for safekeeping (DT-16).
  case backup

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .nativeMessaging: "nativeMessaging"
    case .assistant: "assistant"
    case .automation: "automation"
    case .writingTools: "writingTools"
    case .inputMethod: "inputMethod"
    case .contacts: "contacts"
    case .widgets: "widgets"
    case .backup: "backup"
    }
  }
}
