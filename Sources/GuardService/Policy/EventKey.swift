internal import GuardModel
internal import PolicyEngine

/// Two events with one key are the same to an administrator: the same app, class of viewer and account ask the same of the
/// same URL, place or program.
///
/// The viewer, the action, the clip's number and the scope are not in it: they differ each time. A secret seed keeps apps
/// from choosing events that share a key.
struct EventKey {
  private var state: UInt64

  private init(seed: UInt64) { state = seed }

  /// The key; never 0.
  static func of(_ event: borrowing Event, _ decision: Decision, asker: UInt64, seed: UInt64) -> UInt64 {
    var key = EventKey(seed: seed)
    key.mix(asker)
    key.mixWho(decision)
    key.mixWords(event)
    key.mixTexts(event)
    return key.state | 1
  }

  private mutating func mixWho(_ decision: Decision) {
    key(decision.identity)
    mix(UInt64(decision.policy?.rawValue ?? .max) << 1 | (decision.viewerIsUnknown ? 1 : 0))
  }

  private mutating func key(_ identity: Identity) {
    switch identity {
    case .absent: mix(1)
    case .nobody: mix(2)
    case .account(let id): mix(3 + UInt64(UInt32(bitPattern: id.index)))
    }
  }

  private mutating func mixWords(_ event: borrowing Event) {
    var flags = UInt64(event.kind.rawValue)
    flags = flags << 3 | UInt64(event.frame.rawValue)
    flags = flags << 2 | UInt64(event.hop.rawValue)
    flags = flags << 2 | UInt64(event.gesture.rawValue)
    flags = flags << 2 | UInt64(event.selfOwned.rawValue)
    flags = flags << 1 | (event.isSameDocument ? 1 : 0)
    flags = flags << 1 | (event.opensWindow ? 1 : 0)
    flags = flags << 1 | (event.isCut ? 1 : 0)
    flags = flags << 1 | (event.offersPlainText ? 1 : 0)
    flags = flags << 1 | (event.isInPlace ? 1 : 0)
    flags = flags << 1 | (event.clip == .none ? 0 : 1)
    flags = flags << 1 | (event.proposal == nil ? 0 : 1)
    flags = flags << 1 | (event.isChooser ? 1 : 0)
    flags = flags << 1 | UInt64(event.surface.rawValue)
    // The length by its number of digits in binary: exceptions ask whether it is small.
    flags = flags << 7 | UInt64(event.length.map { 64 - UInt64($0).leadingZeroBitCount + 1 } ?? 0)
    mix(flags)
    mix(
      UInt64(event.selection.rawValue) << 32 | UInt64(event.location.rawValue) << 24
        | UInt64(event.channel.rawValue) << 16 | UInt64(event.capture.rawValue) << 8
        | UInt64(event.inspection.rawValue))
  }

  private mutating func mixTexts(_ event: borrowing Event) {
    mix(event.url, of: event)
    mix(event.from, of: event)
    mix(event.method, of: event)
    mix(event.owner, of: event)
    mix(event.locationAccount, of: event)
    mix(event.path, of: event)
    mix(event.peer, of: event)
    mix(event.peerAccount, of: event)
  }

  private mutating func mix(_ slot: TextSlot?, of event: borrowing Event) {
    guard let slot else { return mix(UInt64.max) }
    event.bytes(slot).withUnsafeBytes { bytes in
      mix(UInt64(bytes.count))
      var offset = 0
      while offset + 8 <= bytes.count {
        mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      var rest: UInt64 = 0
      while offset < bytes.count {
        rest = rest << 8 | UInt64(bytes[offset])
        offset += 1
      }
      mix(rest)
    }
  }

  /// Multiplies to 128 bits and folds: every bit of the input reaches every bit of the key.
  private mutating func mix(_ value: UInt64) {
    let product = (state ^ value).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    state = product.high ^ product.low ^ 0xD6E8_FEB8_6659_FD93
  }
}
