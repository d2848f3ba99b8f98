/// The kind of screen recording (ledger SC).
public enum CaptureKind: UInt8, Sendable, Hashable, CaseIterable {
  /// The app could not tell: judged as the strictest.
  case unknown = 0
  case screenshot
  /// Recording, sharing, mirroring (SC-05).
  case recording
  /// The app takes an image of its own window; always allowed, and logged (SC-02).
  case ownImage

  /// The word on the wire and in the log.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .screenshot: "screenshot"
    case .recording: "recording"
    case .ownImage: "ownImage"
    }
  }
}
