import Foundation
import GuardService
import Testing

@Suite(.serialized) struct TrappedSignalsTests {
  @Test func trappedSignalsArriveAndKillNobody() async {
    let signals = await TrappedSignals.trap([SIGUSR1, SIGUSR2])
    var arrivals = signals.makeAsyncIterator()
    for number in 0..<200 {
      let signal = number.isMultiple(of: 3) ? SIGUSR1 : SIGUSR2
      kill(getpid(), signal)
      #expect(await arrivals.next() == signal)
    }
  }

  /// By default each of them would end this process.
  @Test func theyStayTrappedWhenNobodyListens() async {
    for _ in 0..<3 {
      kill(getpid(), await firstOfMany())
      for _ in 0..<100 { kill(getpid(), SIGVTALRM) }
    }
  }

  private func firstOfMany() async -> Int32 {
    let signals = await TrappedSignals.trap([SIGVTALRM])
    for _ in 0..<100 { kill(getpid(), SIGVTALRM) }
    for await signal in signals { return signal }
    return 0
  }
}
