internal import ArgumentParser
internal import GuardModel
internal import GuardService
internal import PolicyTools

/// `log repair`: declares the clock right, against the times in the log.
struct LogRepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Take the machine's clock for right, whatever time was recorded.",
    discussion: """
      A clock that was wrong and far ahead leaves a latest time on record that holds until the clock gets there. This forgets \
      it. Stop the daemon first, set the clock right, and run this as the daemon's user. Every clip has an unknown managed \
      owner afterwards until the next copy, and exceptions that were granted later than now are gone. No record of the log \
      is changed; one says from where on times run back.
      """)

  @Option(help: "The directory of what outlives the daemon, as `serve` has it.")
  var stateDir: String?

  func run() throws {
    guard let directory = stateDir ?? StatePlace.standardDirectory else {
      throw CommandFailure("there is no home directory; say --state-dir")
    }
    let latest: UInt64?
    do throws(StartError) { latest = try ClockRepair.repair(StatePlace(directory: directory)) } catch {
      throw CommandFailure("\(error)")
    }
    let output = Output()
    let before = latest.map { ", and \(RFC3339.text($0)) no more" } ?? ""
    try output.line("the clock counts from the next start of the daemon on\(before)")
    try output.flush()
  }
}
