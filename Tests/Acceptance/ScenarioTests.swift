import Foundation
import TestSupport
import Testing

/// Every scenario outside the organisation's own enrolment, through the real socket, with its reason.
@Suite struct ScenarioTests {
  @Test(.enabled(if: ScenarioTests.hasFile, "the acceptance scenarios are not here"))
  func everyScenarioHolds() throws {
    let scenarios = try Scenarios.load()
    let runner = ScenarioRunner()
    for scenario in scenarios {
      do {
        let found = try runner.run(scenario)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
      } catch {
        Issue.record("\(scenario.id): \(error)")
      }
    }
    print("acceptance scenarios: \(scenarios.count), with \(runner.ran) checks")
    #expect(scenarios.count == 95)
    #expect(runner.ran == 131)
  }

  static var hasFile: Bool {
    SharedData.isExpected || FileManager.default.fileExists(atPath: Scenarios.file.path)
  }
}
