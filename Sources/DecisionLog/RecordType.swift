/// The content of a line of the log. Later versions may add types; readers show those they do not know by name.
package enum RecordType: String, Sendable, Hashable, CaseIterable {
  case decision
  /// A change of state that can alter a decision.
  case state
  /// A change of state that an app asked for and did not get.
  case refused
  /// A load of the policy, whether it worked or failed.
  case policy
  case start
  case stop
  /// Number of repetitions of one decision.
  case repeats
  /// An app's report on the result of a decision.
  case acknowledged
  /// An answer that never left, since its record could not be written in time.
  case withdrawn
  /// Decisions that got no record of their own.
  case counts
  /// Torn bytes at the end of a file, found at start.
  case sealed
  /// The end of a file; the next record is in the next one.
  case closed
  /// Decisions of a user whose share of the log is full.
  case limited
  /// Old files that were removed.
  case pruned
  /// A change of state that was found at start without its record.
  case recovered
  /// A time in which the log could not be written.
  case failure
  /// Records that were written and were not there at the next start.
  case lost
  /// An event of the machine's clock: it is not believed, or is again.
  case clock
  /// An event of a timed exception.
  case exception
  /// A step in the life of an account.
  case account
  /// A condition of a protection holds or fails from now on.
  case condition
}
