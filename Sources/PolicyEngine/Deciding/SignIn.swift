internal import GuardModel
internal import URLRules
internal import URLStandard

/// Sign-in in embedded views: which navigation may carry the proof that a person is signed in.
extension Question {
  /// It goes to a sign-in page that the viewer's class names, in the main frame of a registered viewer that shows one
  /// account of the organisation and nothing else.
  ///
  ///     navigate https://login.microsoftonline.com/common/oauth2/authorize    a managed view: signIn
  ///     the same in a frame, by http, at a port, in an unmanaged view         nothing
  ///
  /// The attack: a page that makes the app send the proof to a host of its own, or the proof of another account than the
  /// one that the view shows. A `view-source:` and a URL with a user are no sign-in pages either.
  func maySignIn(_ event: borrowing Event, at url: borrowing URLSubject) -> Bool {
    guard event.isMainFrameNavigation, !event.opensWindow, !event.isSameDocument, !event.isProbe else { return false }
    guard let number = viewer.viewerClass, !app[number].signIn.isEmpty, showsOneManagedAccount else { return false }
    guard case .url = url.kind, !url.isJudgedAsCreator else { return false }
    return app[number].signIn.contains { $0.isPage(url.asRead.bytes) }
  }

  private var showsOneManagedAccount: Bool {
    guard case .account = identity.identity, isManaged else { return false }
    return viewer.policy != .unmanaged && !viewer.isUnknown && !isLockedDown && !mayCountAsSeveral
  }
}
