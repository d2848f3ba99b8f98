public import GuardModel

/// An app's description of one thing that is about to happen. Every member is optional: a member that is left out is
/// unknown, and unknown members never make an answer weaker.
///
/// One type serves all kinds, as on the wire: each kind leaves out the members that it does not need, a batch may mix
/// kinds, and a member that a newer daemon reads needs no new kind here. Content is never part of it.
///
///     GuardEvent(viewer: "v1", url: "https://docs.contoso.com/d/42", from: page, frame: .main, gesture: true)
///     GuardEvent(viewer: "v1", selection: .clipboard, length: text.unicodeScalars.count, formats: ["text/plain"])
public struct GuardEvent: Sendable, Hashable {
  /// The viewer in which it happens, by its registered name.
  public var viewer: String?
  /// The target of the navigation, exactly as the engine has it.
  public var url: String?
  /// The URL of the page or hop that led here; for `about:blank` and `data:` the URL of its creator.
  public var from: String?
  /// The frame that navigates; only main frames are sent elsewhere.
  public var frame: Frame?
  /// This is a server redirect inside a navigation.
  public var hop: Bool?
  /// The request method, such as `POST`; `GET` when left out.
  public var method: String?
  /// A click or key of a person led to it; nil when the engine does not tell.
  public var gesture: Bool?
  /// The engine says that nothing loads: a move inside the document that is shown.
  public var sameDocument: Bool?
  /// It would open a new window; `viewer` is then its opener.
  public var newWindow: Bool?
  /// The place of the clip.
  public var selection: Selection?
  /// The copy also removes the copied data.
  public var cut: Bool?
  /// The length of the text in Unicode scalars (`text.unicodeScalars.count`, not `text.count`); the text is never sent.
  public var length: Int?
  /// The MIME types on offer, such as `text/plain;charset=utf-8`.
  public var formats: [String]?
  /// `clipboardChanged`: the asking app itself owns the selection now.
  public var selfOwned: Bool?
  /// The clip id that came along with the clip, as `copy` gave it; it only ever raises protection.
  public var clip: String?
  /// `clipboardChanged`: the `proposal` of the copy that the app saw happen.
  public var proposal: String?
  /// The display that has the selection, such as `:0` or `wayland-1`.
  public var display: String?
  /// The account that owns the data, when it is not the viewer's own; empty for unmanaged data.
  public var owner: String?
  /// The place that data is saved to or opened from; `other` when left out.
  public var location: Location?
  /// The account that the place belongs to; left out or empty for no account.
  public var locationAccount: String?
  /// The path of the file, as the app opened it: absolute and resolved.
  public var path: String?
  /// The data is saved to its origin, or opened to be edited in place.
  public var inPlace: Bool?
  /// The other program: an app of the policy, or the name of a desktop file.
  public var peer: String?
  /// The account that the other program acts for; left out or empty for no account.
  public var peerAccount: String?
  /// `exchange`: the channel of the data.
  public var channel: Channel?
  /// `capture`: the kind of recording.
  public var capture: CaptureKind?
  /// `copy`: the result of the app's content scanner.
  public var inspection: Inspection?
  /// `copy`, `paste`: the place of the action: the page, or the program's own fields around it.
  public var surface: Surface?
  /// `share` without `peer`, `save`, `open`: the app is about to show the sheet or dialogue in which a person chooses.
  public var chooser: Bool?
  /// The app only wants to draw a menu: the question changes nothing, and the app asks again when the event happens.
  public var probe: Bool?
  /// The app's own id for one thing the user did. Navigations get one by themselves.
  public var action: String?
  /// The label of the file, its bytes in hexadecimal digits: docs/labels.md.
  public var label: String?
  /// The facts of a file whose file system keeps no label.
  public var file: String?
  /// The URL that the file was downloaded from.
  public var origin: String?

  /// An event with the given members, and no others.
  public init(
    viewer: String? = nil, url: String? = nil, from: String? = nil, frame: Frame? = nil, hop: Bool? = nil,
    method: String? = nil, gesture: Bool? = nil, sameDocument: Bool? = nil, newWindow: Bool? = nil,
    selection: Selection? = nil, cut: Bool? = nil, length: Int? = nil, formats: [String]? = nil,
    selfOwned: Bool? = nil, clip: String? = nil, proposal: String? = nil, display: String? = nil,
    owner: String? = nil, location: Location? = nil, locationAccount: String? = nil, path: String? = nil,
    inPlace: Bool? = nil,
    peer: String? = nil, peerAccount: String? = nil, channel: Channel? = nil, capture: CaptureKind? = nil,
    inspection: Inspection? = nil, surface: Surface? = nil, chooser: Bool? = nil, probe: Bool? = nil,
    action: String? = nil, label: String? = nil, file: String? = nil, origin: String? = nil
  ) {
    (self.viewer, self.url, self.from, self.frame, self.hop) = (viewer, url, from, frame, hop)
    (self.method, self.gesture, self.sameDocument, self.newWindow) = (method, gesture, sameDocument, newWindow)
    (self.selection, self.cut, self.length, self.formats) = (selection, cut, length, formats)
    (self.selfOwned, self.clip, self.proposal) = (selfOwned, clip, proposal)
    (self.display, self.owner) = (display, owner)
    (self.location, self.locationAccount, self.path, self.inPlace) = (location, locationAccount, path, inPlace)
    (self.peer, self.peerAccount, self.channel, self.capture) = (peer, peerAccount, channel, capture)
    (self.inspection, self.surface, self.chooser, self.probe) = (inspection, surface, chooser, probe)
    (self.action, self.label, self.file, self.origin) = (action, label, file, origin)
  }
}

extension GuardEvent {
  /// Writes the event for the wire, in the order of the interface.
  ///
  /// - Parameter deadline: the time that the app still waits for the answer, in milliseconds.
  func write(to writer: inout ValueWriter, deadline: Int?) {
    writer.object { event in
      writeNavigation(to: &event)
      writeClip(to: &event)
      writePlace(to: &event)
      event.member("channel", channel?.name)
      event.member("capture", capture?.name)
      event.member("inspection", inspection?.name)
      event.member("surface", surface?.name)
      event.member("chooser", chooser)
      event.member("probe", probe)
      event.member("action", action)
      event.member("deadline", deadline)
      event.member("label", label)
      event.member("file", file)
      event.member("origin", origin)
    }
  }

  private func writeNavigation(to event: inout ValueWriter) {
    event.member("viewer", viewer)
    event.member("url", url)
    event.member("from", from)
    event.member("frame", frame?.name)
    event.member("hop", hop)
    event.member("method", method)
    event.member("gesture", gesture.map { $0 ? "yes" : "no" })
    event.member("sameDocument", sameDocument)
    event.member("newWindow", newWindow)
  }

  private func writeClip(to event: inout ValueWriter) {
    event.member("selection", selection?.name)
    event.member("cut", cut)
    event.member("length", length)
    event.member("formats", formats)
    event.member("selfOwned", selfOwned)
    event.member("clip", clip)
    event.member("proposal", proposal)
    event.member("display", display)
    event.member("owner", owner)
  }

  private func writePlace(to event: inout ValueWriter) {
    event.member("location", location?.name)
    event.member("locationAccount", locationAccount)
    event.member("path", path)
    event.member("inPlace", inPlace)
    event.member("peer", peer)
    event.member("peerAccount", peerAccount)
  }
}
