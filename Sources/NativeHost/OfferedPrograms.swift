internal import Glibc
internal import Platform
internal import WebViewGuardClient

/// The offers of recent decisions, and the programs that were started for them.
///
/// A program is started by the id of a decision only: the policy chose the program and its URL. Each decision opens
/// once, so that a page that asks again and again opens nothing more.
struct OfferedPrograms {
  private var offers: [(decision: String, offer: GuardDecision.Offer)] = []
  private var running: [pid_t] = []

  private static let most = 256

  /// Keeps the offer of a decision.
  mutating func keep(_ decision: GuardDecision) {
    guard !decision.id.isEmpty, !decision.isRepeat, let offer = decision.open else { return }
    if offers.count >= Self.most { offers.removeFirst() }
    offers.append((decision.id, offer))
  }

  /// Starts the program that the decision offers, or the best of its fallbacks that can be started.
  mutating func open(_ decision: String) throws(NativeRefusal) {
    reap()
    guard let index = offers.firstIndex(where: { $0.decision == decision }) else { throw .nothingToOpen }
    let offer = offers.remove(at: index).offer
    for choice in [offer] + offer.fallback {
      guard let process = ChildProgram.startApart(Self.command(choice)) else { continue }
      return running.append(process)
    }
    throw .cannotOpen("none of the programs that the policy offers could be started")
  }

  /// The command of the policy; else the desktop's way to start a desktop file, or the handler of a scheme.
  private static func command(_ offer: GuardDecision.Offer) -> [String] {
    if let argv = offer.argv, !argv.isEmpty { return argv }
    guard let desktopFile = offer.desktopID else { return ["xdg-open", offer.url] }
    let suffix = ".desktop"
    let name = desktopFile.hasSuffix(suffix) ? String(desktopFile.dropLast(suffix.count)) : desktopFile
    return ["gtk-launch", name, offer.url]
  }

  /// Reaps programs that have ended.
  private mutating func reap() {
    running.removeAll { waitpid($0, nil, WNOHANG) != 0 }
  }
}
