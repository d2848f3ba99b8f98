internal import ArgumentParser

/// `exception`: sites that are let in for a time.
struct ExceptionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exception", abstract: "Let a site in for a time, see which are, and take one back.",
    discussion: """
      URLs of the site count as internal where a rule set calls them external. It ends by itself, and stands in the log \
      with who and why. Ends with 1 when the daemon refuses.
      """,
    subcommands: [ExceptionAddCommand.self, ExceptionListCommand.self, ExceptionRemoveCommand.self])
}
