import GuardModel

extension LogEncoder {
  /// Appends the record of a load of the policy.
  package mutating func encode(_ load: PolicyLoad, at time: UInt64, into bytes: inout [UInt8]) {
    append(.policy, at: time, into: &bytes) { record, encoder in
      record.truth("loaded", load.isLoaded)
      encoder.writeGeneration(load.generation, &record)
      record.texts("roots", load.roots)
      record.number("errors", load.errors)
      if !load.expired.isEmpty { record.texts("expired", load.expired) }
      if !load.enforced.isEmpty { record.texts("enforced", load.enforced) }
      record.text("source", load.source)
      record.text("rolledBackFrom", load.rolledBackFrom)
      record.text("order", load.order?.rawValue)
      record.flag("forced", load.isForced)
      record.flag("checkedIn", load.isCheckIn)
      record.text("refusal", load.refusal)
      encoder.writeAskers(load.askers, &record)
    }
  }

  /// Appends the record of the daemon's start.
  package mutating func encodeStart(of service: ServiceIdentity, at time: UInt64, into bytes: inout [UInt8]) {
    append(.start, at: time, into: &bytes) { record, _ in record.service(service) }
  }

  /// Appends the record of the daemon's orderly stop. A log that goes on without one was ended by a crash.
  package mutating func encodeStop(of service: ServiceIdentity, at time: UInt64, into bytes: inout [UInt8]) {
    append(.stop, at: time, into: &bytes) { record, _ in record.service(service) }
  }

  /// Appends how often one decision was asked for again since its record.
  package mutating func encodeRepeats(
    of decision: String, count: UInt64, at time: UInt64, into bytes: inout [UInt8]
  ) {
    append(.repeats, at: time, into: &bytes) { record, _ in
      record.text("id", decision)
      record.number("count", count)
    }
  }

  /// Appends that the answer to a recorded decision never left, since the record could not be written in time. To the app
  /// it was a block.
  package mutating func encodeWithdrawal(of decision: String, at time: UInt64, into bytes: inout [UInt8]) {
    append(.withdrawn, at: time, into: &bytes) { record, _ in record.text("id", decision) }
  }

  /// Appends how many decisions of one kind got no record of their own.
  package mutating func encode(_ count: DecisionCount, at time: UInt64, into bytes: inout [UInt8]) {
    append(.counts, at: time, into: &bytes) { record, _ in
      record.text("app", count.app)
      record.text("instance", count.instance)
      if let uid = count.uid { record.number("uid", UInt64(uid)) }
      record.text("viewer", count.viewer)
      record.text("outcome", count.outcome.name)
      record.text("reason", count.reason.rawValue)
      record.advice(of: count.advised)
      record.number("count", count.count)
    }
  }

  /// Appends the record that closes torn bytes. It must be the next line behind them, or no reader accepts either.
  package mutating func encode(_ torn: TornBytes, at time: UInt64, into bytes: inout [UInt8]) {
    append(.sealed, at: time, into: &bytes) { record, _ in
      record.number("bytes", torn.count)
      record.text("sha256", torn.hash.hex)
    }
  }

  /// Appends the record of files that were removed. Write it before removing them.
  package mutating func encode(_ pruned: PrunedRecords, at time: UInt64, into bytes: inout [UInt8]) {
    append(.pruned, at: time, into: &bytes) { record, _ in
      record.number("files", pruned.files)
      record.number("firstSeq", pruned.firstSeq)
      record.number("lastSeq", pruned.last.seq)
      record.text("lastHash", pruned.last.hash.hex)
      record.text("cause", pruned.cause?.rawValue)
    }
  }

  /// Appends the record of a log that was cut between two daemons.
  package mutating func encode(_ lost: LostRecords, at time: UInt64, into bytes: inout [UInt8]) {
    append(.lost, at: time, into: &bytes) { record, _ in
      record.number("expectedSeq", lost.expected.seq)
      record.text("expectedHash", lost.expected.hash.hex)
      record.truth("sameBoot", lost.isSameBoot)
    }
  }

  /// Appends an event of the machine's clock.
  package mutating func encode(_ entry: ClockEntry, at time: UInt64, into bytes: inout [UInt8]) {
    append(.clock, at: time, into: &bytes) { record, encoder in
      record.text("act", entry.act.rawValue)
      encoder.writeTime("clock", entry.system, &record)
    }
  }

  /// Appends the record of a failure of the log itself, once it works again.
  package mutating func encode(_ failure: LogFailure, at time: UInt64, into bytes: inout [UInt8]) {
    append(.failure, at: time, into: &bytes) { record, encoder in
      record.text("cause", failure.cause)
      encoder.writeTime("since", failure.since, &record)
      record.number("lost", failure.lost)
    }
  }
}

extension RecordWriter {
  fileprivate mutating func service(_ service: ServiceIdentity) {
    text("version", service.version)
    number("pid", Int(service.pid))
    text("bootID", service.bootID)
  }
}
