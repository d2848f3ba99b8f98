package import GuardModel

/// A condition of a protection that changed (ledger CD-01 to CD-03).
package struct ConditionEntry: Sendable, Hashable {
  /// The name of the fact.
  package var check: String
  package var protection: String
  /// What the condition does now, in the words of `ConditionEvent.Standing`.
  package var standing: String
  /// The fact; nil when it is not known.
  package var value: String?
  /// The policy in force.
  package var generation = Generation()

  package init(_ check: String, in protection: String, _ standing: String) {
    self.check = check
    self.protection = protection
    self.standing = standing
  }
}

extension LogEncoder {
  /// Appends a condition that changed.
  package mutating func encode(_ entry: ConditionEntry, at time: UInt64, into bytes: inout [UInt8]) {
    append(.condition, at: time, into: &bytes) { record, encoder in
      record.text("check", entry.check)
      record.text("protection", entry.protection)
      record.text("standing", entry.standing)
      record.text("value", entry.value)
      encoder.writeGeneration(entry.generation, &record)
    }
  }
}
