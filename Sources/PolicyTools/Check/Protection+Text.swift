internal import PolicyEngine

/// What a protection's settings mean, in a few words each.
extension Protection {
  /// What happens to an external page in a main frame.
  func externalText(_ app: App, _ browsers: Browsers) -> String {
    switch webTransfer {
    case .any: return "load in place"
    case .block: return "block"
    case .managedBrowser:
      guard let browser = browsers.managed else { return "block: no managed browser is configured" }
      if browser.app == app.name || browser.alternatives.contains(where: { $0.app == app.name }) {
        return "load in place: it is a managed browser"
      }
      let programs = browser.programs(for: app.name).map(\.text)
      return programs.isEmpty
        ? "block: no managed browser is for it" : "open in \(programs.joined(separator: ", else "))"
    case .unmanagedBrowser:
      guard let browser = browsers.unmanaged else { return "block: no unmanaged browser is configured" }
      return "open in \(browser.program.text)"
    }
  }

  /// What may leave and enter; "out" and "in" as seen from the account's data.
  func clipboardText(blocksUpload: Bool) -> String {
    let words =
      switch (clipboard.level, blocksUpload) {
      case (.any, false): "out and in freely"
      case (.any, true): "out freely, nothing in"
      case (.managedWithPasteIn, false): "out to the same account, in freely"
      case (.managedWithPasteIn, true), (.managed, true): "out to the same account, nothing in"
      case (.managed, false): "within the same account"
      case (.blocked, false): "within the app"
      case (.blocked, true): "out within the app, nothing in"
      }
    guard clipboard.exceptionLength > 0, clipboard.level != .any else { return words }
    return words + "; texts up to \(clipboard.exceptionLength) pass"
  }

  /// Which URLs of other schemes may leave for the program that opens them.
  var handOffText: String {
    guard send != .any else { return "any program" }
    let classes = [
      telecommunication == .none ? nil : "calls", messaging == .none ? nil : "messages",
    ].compactMap(\.self)
    guard send.isManaged else { return classes.isEmpty ? "block" : "only " + classes.joined(separator: ", ") }
    let schemes = Set(exemptSchemes + managedSchemes).map { String(decoding: $0, as: UTF8.self) }.sorted()
    let shown = schemes.prefix(Self.maximumSchemes)
    let rest = schemes.count > shown.count ? ["\(schemes.count - shown.count) more"] : []
    let parts = classes + shown + rest
    return parts.isEmpty ? "block" : "only " + parts.joined(separator: ", ")
  }

  private static let maximumSchemes = 4
}

extension Program {
  fileprivate var text: String { desktopID ?? command?.first ?? "the desktop's browser" }
}
