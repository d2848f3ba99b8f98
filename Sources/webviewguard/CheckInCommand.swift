internal import ArgumentParser
internal import JSONText

/// `check-in`: webviewguard-refresh.service tells the daemon by it that it could not bring a policy.
struct CheckInCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-in", abstract: "Tell the daemon about check-ins that failed, or let it forget them.",
    discussion: """
      A check-in that succeeds is `reload --checked-in`. `status` shows the last one, and `health` that one failed or is \
      late.
      """,
    subcommands: [Failed.self, Forget.self])

  /// `check-in failed`
  struct Failed: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "failed", abstract: "Note that the policy could not be fetched, or was not accepted.")

    @Argument(help: "Why, in a few words.")
    var cause: String

    @OptionGroup var place: SocketOptions

    func validate() throws {
      if cause.isEmpty { throw ValidationError("say in a few words why it failed") }
    }

    func run() throws {
      let parameters = JSONTree.object([.init("cause", .string(cause))])
      _ = try place.ask("org.webviewguard.Admin.NoteFailedCheckIn", parameters.text())
    }
  }

  /// `check-in forget`
  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Forget all check-ins, on a machine that gets its policy in another way now.")

    @OptionGroup var place: SocketOptions

    func run() throws { _ = try place.ask("org.webviewguard.Admin.ForgetCheckIns") }
  }
}
