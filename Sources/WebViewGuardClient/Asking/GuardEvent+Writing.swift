internal import GuardModel

extension GuardEvent {
  /// Writes the event as the wire has it, in the order of the interface.
  ///
  /// - Parameter deadline: how long the app still waits for the answer, in milliseconds.
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
