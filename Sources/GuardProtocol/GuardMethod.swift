package import GuardModel

/// A method of `org.webviewguard.Guard`: everything that the interface file settles, answered or not.
package enum GuardMethod: String, Sendable, Hashable, CaseIterable {
  case whoAmI = "WhoAmI"
  case attach = "Attach"
  case registerViewer = "RegisterViewer"
  case setDocument = "SetDocument"
  case forgetViewer = "ForgetViewer"
  case setWebViewPolicy = "SetWebViewPolicy"
  case setExternalURLRules = "SetExternalURLRules"
  case setIdentity = "SetIdentity"
  case navigate = "Navigate"
  case copy = "Copy"
  case paste = "Paste"
  case clipboardChanged = "ClipboardChanged"
  case dragEnd = "DragEnd"
  case download = "Download"
  case upload = "Upload"
  case save = "Save"
  case open = "Open"
  case receive = "Receive"
  case share = "Share"
  case print = "Print"
  case capture = "Capture"
  case notify = "Notify"
  case openURL = "OpenURL"
  case exchange = "Exchange"
  case index = "Index"
  case decideMany = "DecideMany"
  case acknowledge = "Acknowledge"
  case subscribe = "Subscribe"

  /// The event that the method asks about; nil for what is no event, and for events that nobody decides yet.
  ///
  ///     GuardMethod.navigate.event    // .navigate
  ///     GuardMethod.download.event    // nil
  package var event: EventKind? {
    switch self {
    case .navigate: .navigate
    case .copy: .copy
    case .paste: .paste
    case .clipboardChanged: .clipboardChanged
    case .dragEnd: .dragEnd
    default: nil
    }
  }

  static let byName = NameTable(words: GuardMethod.self)
}
