import Foundation
import Synchronization

/// Guards against hangs only: nothing in a test takes so long, however busy the machine is.
package let hangSeconds = 240.0

/// Waits until something holds; throws after `hangSeconds`.
package func eventually(_ what: String, _ holds: () -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(hangSeconds)
  while !holds() {
    guard ContinuousClock.now < end else { throw TestFailure("it never came about: \(what)") }
    try await Task.sleep(for: .milliseconds(20))
  }
}

/// An event that happened, for threads that wait for it.
package final class Flag: Sendable {
  private let value = Mutex(false)

  package init() {}

  package var isSet: Bool { value.withLock { $0 } }

  package func set() { value.withLock { $0 = true } }
}

/// Values that threads hand over, in the order in which they came.
package final class Collected<Value: Sendable>: Sendable {
  private let list = Mutex([Value]())

  package init() {}

  package var all: [Value] { list.withLock { $0 } }

  package func note(_ value: Value) { list.withLock { $0.append(value) } }
}

/// A test cannot go on.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
