import GuardModel

extension LogEncoder {
  /// Appends the record of a change of state; `isRecovered` when it was found at start without one.
  package mutating func encode(
    _ change: StateChange, at time: UInt64, isRecovered: Bool = false, into bytes: inout [UInt8]
  ) {
    append(isRecovered ? .recovered : .state, at: time, into: &bytes) { record, encoder in
      encoder.write(change, &record)
    }
  }

  /// Appends the record of a change that was refused.
  package mutating func encode(_ refusal: RefusedChange, at time: UInt64, into bytes: inout [UInt8]) {
    append(.refused, at: time, into: &bytes) { record, encoder in
      encoder.write(refusal.change, &record)
      record.text("reason", refusal.reason.rawValue)
      encoder.writeAccount("stated", refusal.stated, &record)
      encoder.writeAccount("shown", refusal.shown, &record)
      if let count = refusal.count { record.number("count", count) }
    }
  }

  private mutating func write(_ change: StateChange, _ record: inout RecordWriter) {
    record.text("change", change.kind.rawValue)
    record.text("app", change.app)
    record.text("instance", change.instance)
    writePeer(change.peer, &record)
    record.text("viewer", change.viewer)
    record.text("class", change.viewerClass)
    record.text("kind", change.viewerKind?.rawValue)
    record.text("parent", change.parent)
    record.text("window", change.window)
    record.text("opener", change.opener)
    writeURL(.document, change.document, &record)
    record.text("policy", change.policy?.name)
    record.text("ruleSet", change.ruleSet)
    record.text("identityLevel", change.identityLevel?.rawValue)
    writeAccount("account", change.account, &record)
    writeAccounts(change.accounts, &record)
    if !change.features.isEmpty { record.texts("features", change.features) }
    record.text("request", change.request)
    record.text("result", change.result?.rawValue)
  }

  private mutating func writeAccounts(_ names: [String], _ record: inout RecordWriter) {
    guard !names.isEmpty else { return }
    record.texts("accounts", names.map { loggedName(of: $0) })
  }
}
