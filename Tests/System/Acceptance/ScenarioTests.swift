import Foundation
import TestSupport
import Testing

/// Every scenario through the real socket, with its reason; those that cannot be carried out are told, each with why not.
@Suite struct ScenarioTests {
  @Test(.enabled(if: ScenarioTests.hasFile, "the acceptance scenarios are not here"))
  func everyScenarioHolds() throws {
    let scenarios = try Scenarios.load()
    let skipped = try Scenarios.skipped()
    let runner = ScenarioRunner()
    for scenario in scenarios {
      if let reason = skipped[scenario.id] {
        #expect(!runner.canRun(scenario), "\(scenario.id) can be carried out: take it from the list of those skipped")
        print("skipped scenario \(scenario.id): \(reason)")
        continue
      }
      do {
        let found = try runner.run(scenario)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
      } catch {
        Issue.record("\(scenario.id): \(error)")
      }
    }
    let carriedOut = scenarios.count - skipped.count
    print("acceptance scenarios: \(carriedOut), with \(runner.ran) checks; \(skipped.count) skipped")
    #expect(Set(skipped.keys).isSubset(of: scenarios.map(\.id)), "a scenario that is skipped is not in the file")
    #expect(scenarios.count == 129)
    #expect(skipped.count == 5)
    #expect(runner.ran == 164)
  }

  static var hasFile: Bool {
    SharedData.isExpected || FileManager.default.fileExists(atPath: Scenarios.file.path)
  }
}
