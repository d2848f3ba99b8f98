internal import GuardModel

/// A decision as shown to administrators who watch or ask why: it leaves out the same facts as the log.
///
/// The trap: an offer repeats the URL with its query, a text for the user may repeat it and name the account, and
/// `explain` is open to administrators who may not read the log.
extension DecisionReport {
  /// The report with the URL as the log has it, and accounts under the names that `name` gives them.
  ///
  /// - Parameters:
  ///   - url: nil where the log has none.
  ///   - isPrivate: it is about ownerless or unmanaged data: no text may name the page.
  ///   - name: gives an account the name that the log has; the empty text (no owner) is no name.
  func shown(url: String?, isPrivate: Bool, _ name: (String) -> String) -> DecisionReport {
    var shown = self
    shown.open = open?.shown(url: url ?? "")
    // Its placeholders may have been filled with the URL or an account.
    if isOfOneEvent {
      shown.message = isPrivate ? nil : message.map { Self.shown($0, url: url) }
      shown.replacement = isPrivate ? nil : replacement.map { Self.shown($0, url: url) }
    }
    shown.identity = identity.map(name)
    shown.clipOwner = clipOwner.map(name)
    shown.setOwner = setOwner.map(name)
    shown.tagAs = tagAs.map(name)
    shown.switchTo = switchTo.map(name)
    return shown
  }

  private static func shown(_ text: String, url: String?) -> String {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let known = words.map { $0.contains("://") ? url ?? "(URL)" : String($0) }
    return JournalText.withoutAccounts(known.joined(separator: " "))
  }
}

extension OpenOffer {
  /// The offer with the URL as the log has it; of a command line its program alone, since its arguments hold the URL.
  fileprivate func shown(url: String) -> OpenOffer {
    var shown = self
    shown.url = url
    shown.argv = argv.map { Array($0.prefix(1)) }
    shown.fallback = fallback.map { $0.shown(url: url) }
    return shown
  }
}
