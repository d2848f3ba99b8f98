internal import Glibc
internal import Platform

/// Why nothing, or nothing usable, came from a bus.
///
/// Callers treat each of them as no answer: a peer that fails on purpose gains nothing by it.
package enum BusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The machine has no libsystemd, or one without a function that is needed.
  case noLibrary
  /// There is no bus, or it does not let us in: the words of the system.
  case unreachable(String)
  /// No answer came in time.
  case timedOut
  /// The connection to the bus ended; it has to be opened anew.
  case gone
  /// The peer answered with an error: its name, and the beginning of its text without control characters.
  case refused(name: String, message: String)
  /// An answer that is larger, deeper or of more parts than ``BusLimits`` allow.
  case tooLarge
  /// An answer that cannot be read.
  case malformed
  /// A call that D-Bus cannot carry: a name that is none, or a text with a NUL.
  case unsendable

  package var description: String {
    switch self {
    case .noLibrary: "libsystemd.so.0 cannot be loaded"
    case .unreachable(let words): "the bus cannot be reached: \(words)"
    case .timedOut: "no answer in time"
    case .gone: "the bus hung up"
    case .refused(let name, let message): message.isEmpty ? "`\(name)`" : "`\(name)`: `\(message)`"
    case .tooLarge: "the answer is too large"
    case .malformed: "the answer cannot be read"
    case .unsendable: "the call cannot be sent"
    }
  }

  /// The error that sd-bus returned as a number below zero.
  static func failure(_ result: Int32) -> BusError {
    switch -result {
    case ECONNRESET, ENOTCONN, EPIPE, ESHUTDOWN: .gone
    case EBADMSG: .malformed
    default: .unreachable(SystemWords.text(-result))
    }
  }

  /// Text of a peer, for people: at most 200 characters, control characters replaced.
  static func shown(_ text: String) -> String {
    String(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
  }
}

/// Limits of what one answer may be.
///
/// The attack: a peer answers 10 MB, or a hundred nested variants, to whoever asks it. sd-bus itself reads a message of up
/// to 128 MiB; nothing of one that is over these limits is copied.
package struct BusLimits: Sendable, Hashable {
  /// Bytes of all texts together.
  package var bytes = 1 << 18
  /// Values of all kinds together.
  package var values = 1 << 14
  /// Containers in each other.
  package var depth = 16

  package init() {}
}
