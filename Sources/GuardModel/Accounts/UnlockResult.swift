/// How the daemon's own question to a person ended, where a protection says `unlock: polkit`.
public enum UnlockResult: String, Sendable, Hashable, CaseIterable {
  /// The person answered it.
  case unlocked
  /// The person closed the dialogue, which counts as no try.
  case dismissed
  /// The person could not answer it, or may not unlock.
  case refused
  /// No program of the session shows such questions.
  case noAgent
  /// The machine says yes without asking anybody, which shows nothing.
  case noChallenge
  /// The person did not answer in time.
  case timedOut
  /// The machine's service for such questions is not there, or fails.
  case serviceFailure
}
