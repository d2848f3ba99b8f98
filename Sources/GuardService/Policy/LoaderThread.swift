internal import CLinux
internal import Glibc
internal import NIOCore

/// Long work on a thread of its own that gets the processor only when no other thread wants it: no question waits.
///
///     LoaderThread.run(on: loop) { PolicyLoads.load(roots) }.whenComplete { … }
///
/// The attack: a user keeps every processor busy, and with it an old policy in force. Work that has not ended after
/// `patience` is therefore done a second time on an ordinary thread, and the first result counts; it must change
/// nothing. Where the system does not allow the thread to be idle, it is like any other from the beginning, and there
/// is no second.
enum LoaderThread {
  /// As the system shows it; at most 15 bytes.
  static let name = "policy-loader"
  static let patience = TimeAmount.seconds(2)

  static func run<Result: Sendable>(
    on loop: any EventLoop, patience: TimeAmount = patience, _ work: @escaping @Sendable () -> Result
  ) -> EventLoopFuture<Result> {
    let first = FirstResult<Result>(loop)
    let bound = NIOLoopBound(first, eventLoop: loop)
    let finish: @Sendable () -> Void = {
      let result = work()
      loop.execute { bound.value.take(result) }
    }
    first.impatience = loop.scheduleTask(in: patience) { start(finish) {} }
    start(finish) {
      if run_when_idle() != 0 { loop.execute { bound.value.impatience?.cancel() } }
    }
    return first.promise.futureResult
  }

  /// Without a thread for it, the work is done on the spot: late answers are better than an old policy.
  ///
  /// - Parameter prepare: runs first on the new thread, and on no other.
  private static func start(_ work: @escaping @Sendable () -> Void, prepare: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Work(prepare: prepare, run: work))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        name_this_thread(LoaderThread.name)
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.prepare()
        work.run()
        return nil
      }, box.toOpaque())
    if error == 0 { pthread_detach(thread) } else { box.takeRetainedValue().run() }
  }

  private final class Work {
    let prepare: @Sendable () -> Void
    let run: @Sendable () -> Void

    init(prepare: @escaping @Sendable () -> Void, run: @escaping @Sendable () -> Void) {
      self.prepare = prepare
      self.run = run
    }
  }

  /// Completes its promise with the first of two results.
  private final class FirstResult<Result: Sendable> {
    let promise: EventLoopPromise<Result>
    var impatience: Scheduled<Void>?
    private var isTaken = false

    init(_ loop: any EventLoop) { promise = loop.makePromise(of: Result.self) }

    func take(_ result: Result) {
      guard !isTaken else { return }
      isTaken = true
      impatience?.cancel()
      promise.succeed(result)
    }
  }
}
