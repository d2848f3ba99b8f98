import GuardModel

/// What the app said of an event, under the names of the wire. What it left out is left out, and is then what it is on
/// the wire: the strictest.
extension LogEncoder {
  mutating func writeFacts(of event: Event, _ entry: DecisionEntry, _ record: inout RecordWriter) {
    writeNavigation(event, &record)
    writeClipFacts(event, &record)
    writeTransfer(event, entry, &record)
    writePath(of: event, &record)
  }

  private func writeNavigation(_ event: Event, _ record: inout RecordWriter) {
    if event.frame != .unknown { record.text("frame", event.frame.name) }
    record.truth("hop", event.hop)
    if event.gesture != .unknown { record.word("gesture", event.gesture == .yes ? "yes" : "no") }
    record.flag("sameDocument", event.isSameDocument)
    record.flag("newWindow", event.opensWindow)
    record.slot("method", event.method, of: event)
  }

  private func writeClipFacts(_ event: Event, _ record: inout RecordWriter) {
    if event.selection != .unknown { record.text("selection", event.selection.name) }
    record.flag("cut", event.isCut)
    record.number("length", event.length)
    if let formats = event.formats {
      record.list("formats", event.bytes(formats))
    } else if !event.offersPlainText {
      record.texts("formats", [])
    }
    record.truth("selfOwned", event.selfOwned)
    switch event.clip {
    case .none: break
    case .id(let clip): record.text("clip", clip.text)
    case .unreadable: record.word("clip", "unreadable")
    }
    record.text("proposal", event.proposal?.text)
    record.slot("display", event.display, of: event)
    if event.inspection != .none { record.text("inspection", event.inspection.name) }
    if event.surface != .content { record.text("surface", event.surface.name) }
  }

  private mutating func writeTransfer(_ event: Event, _ entry: DecisionEntry, _ record: inout RecordWriter) {
    writeAccount("owner", entry.owner ?? event.string(event.owner), &record)
    if event.location != .other { record.text("location", event.location.name) }
    writeAccount("locationAccount", entry.locationAccount ?? event.string(event.locationAccount), &record)
    record.flag("inPlace", event.isInPlace)
    record.flag("chooser", event.isChooser)
    record.slot("peer", event.peer, of: event)
    writeAccount("peerAccount", entry.peerAccount ?? event.string(event.peerAccount), &record)
    if event.channel != .unknown { record.text("channel", event.channel.name) }
    if event.capture != .unknown { record.text("capture", event.capture.name) }
  }

  /// A path names people, customers and what a document is about. All that decides is whether it can be trusted, so that
  /// is written in its place, and the record can be judged again.
  private func writePath(of event: Event, _ record: inout RecordWriter) {
    guard let path = event.path else { return }
    record.word("pathForm", FilePath.isPlain(event.bytes(path)) ? "plain" : "unreadable")
    if redaction.filePath == .keep { record.text("path", event.bytes(path)) }
  }
}
