internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// The changes that another policy would bring.
extension GuardCore {
  /// Judges recent events under the policy in force and under another, some at a time, so that apps are answered in
  /// between; then calls `done`.
  func preview(_ policy: LoadedPolicy, then done: @escaping (GuardCore, PolicyPreview) -> Void) {
    let now = clock.now()
    let after = nextSnapshot(of: policy, at: Int64(now / 1000))
    let run = PreviewRun(
      recentEvents.all, state, before: snapshot, after: after, at: now, redaction: settings.log.redaction)
    proceed(run, then: done)
  }

  private func proceed(_ run: PreviewRun, then done: @escaping (GuardCore, PolicyPreview) -> Void) {
    guard run.proceed(Self.eventsAtOnce) else {
      var preview = run.result
      preview.since = recentEvents.since
      preview.notRemembered = recentEvents.missed
      return done(self, preview)
    }
    let bound = NIOLoopBound((self, run, done), eventLoop: loop)
    loop.execute {
      let (core, run, done) = bound.value
      core.proceed(run, then: done)
    }
  }

  /// Takes a fraction of a millisecond.
  private static let eventsAtOnce = 64
}
