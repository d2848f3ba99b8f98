package import GuardModel

/// A method of `org.webviewguard.Guard`, complete as in the interface file.
package enum GuardMethod: String, Sendable, Hashable, CaseIterable {
  case whoAmI = "WhoAmI"
  case ownPrograms = "OwnPrograms"
  case attach = "Attach"
  case registerViewer = "RegisterViewer"
  case setDocument = "SetDocument"
  case forgetViewer = "ForgetViewer"
  case setWebViewPolicy = "SetWebViewPolicy"
  case setExternalURLRules = "SetExternalURLRules"
  case setIdentity = "SetIdentity"
  case identities = "Identities"
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
  case decideLocations = "DecideLocations"
  case decidePeers = "DecidePeers"
  case answer = "Answer"
  case acknowledge = "Acknowledge"
  case exportRules = "ExportRules"
  case subscribe = "Subscribe"

  /// The event that the method asks about; nil for other methods.
  ///
  ///     GuardMethod.navigate.event    // .navigate
  ///     GuardMethod.attach.event      // nil
  package var event: EventKind? {
    switch self {
    case .navigate: .navigate
    case .copy: .copy
    case .paste: .paste
    case .clipboardChanged: .clipboardChanged
    case .dragEnd: .dragEnd
    case .download: .download
    case .upload: .upload
    case .save: .save
    case .open: .open
    case .receive: .receive
    case .share: .share
    case .print: .print
    case .capture: .capture
    case .notify: .notify
    case .openURL: .openURL
    case .exchange: .exchange
    case .index: .index
    case .whoAmI, .ownPrograms, .exportRules, .attach, .registerViewer, .setDocument, .forgetViewer,
      .setWebViewPolicy, .setExternalURLRules, .setIdentity, .identities, .decideMany, .decideLocations, .decidePeers,
      .answer,
      .acknowledge, .subscribe:
      nil
    }
  }
}
