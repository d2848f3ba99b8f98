/// The actions that an app asks about.
public enum EventKind: UInt8, Sendable, Hashable, CaseIterable {
  case unknown = 0
  case navigate
  case copy
  case paste
  case clipboardChanged
  case dragEnd
  /// A viewer stores data that a server sent.
  case download
  /// A page takes a file of the user.
  case upload
  /// Data goes to a place (ledger SL).
  case save
  /// Data comes from a place (ledger OL).
  case open
  /// Data comes in from another program (ledger RX).
  case receive
  /// Data goes to another program (ledger SX, CT).
  case share
  case print
  /// The screen or a viewer is recorded.
  case capture
  case notify
  /// The app itself, not a page, opens a URL in another program.
  case openURL
  /// Data passes through a channel beside the app: an extension, an assistant, a keyboard.
  case exchange
  /// Content goes into a search index.
  case index

  /// Whether an app announces or reports by it the filling of a selection.
  package var fillsSelections: Bool { self == .copy || self == .clipboardChanged }

  /// The varlink method and the log's word: `navigate`, `copy` …
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .navigate: "navigate"
    case .copy: "copy"
    case .paste: "paste"
    case .clipboardChanged: "clipboardChanged"
    case .dragEnd: "dragEnd"
    case .download: "download"
    case .upload: "upload"
    case .save: "save"
    case .open: "open"
    case .receive: "receive"
    case .share: "share"
    case .print: "print"
    case .capture: "capture"
    case .notify: "notify"
    case .openURL: "openURL"
    case .exchange: "exchange"
    case .index: "index"
    }
  }
}

/// Some kinds of events.
package struct EventSet: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package init(_ kinds: some Sequence<EventKind>) {
    rawValue = kinds.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
  }

  package func contains(_ kind: EventKind) -> Bool { rawValue & 1 << UInt32(kind.rawValue) != 0 }

  /// In the order of `EventKind.allCases`.
  package var kinds: [EventKind] { EventKind.allCases.filter { contains($0) } }

  /// The events that a protection may warn of: questions only, no mere reports.
  package static let warnable = EventSet(
    EventKind.allCases.filter { $0 != .unknown && $0 != .clipboardChanged && $0 != .dragEnd })
}

/// The kind of screen recording (ledger SC).
public enum CaptureKind: UInt8, Sendable, Hashable, CaseIterable {
  /// The app could not tell: judged as the strictest.
  case unknown = 0
  case screenshot
  /// Recording, sharing, mirroring (SC-05).
  case recording
  /// The app takes an image of its own window; always allowed, and logged (SC-02).
  case ownImage

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .screenshot: "screenshot"
    case .recording: "recording"
    case .ownImage: "ownImage"
    }
  }
}

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

/// The part of a program where a copy or paste happens (ledger CB-14).
public enum Surface: UInt8, Sendable, Hashable, CaseIterable {
  /// In the page. The default when an app says nothing.
  case content = 0
  /// In the program's own fields around the page, such as the address bar.
  case chrome

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .content: "content"
    case .chrome: "chrome"
    }
  }
}
