import CAllocationCounter
import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Whatever apps ask and say, the state does not grow with it.
struct MemoryTests {
  @Test(.enabled(if: callocation_counter_works(), "skipped: sanitizers bring a malloc of their own"))
  func aMillionEventsLeaveTheStateWhereItWas() throws {
    var random = SeededGenerator()
    var crowd = try Crowd()
    let events = Effort.scaled(1_000_000)
    for number in 0..<events / 2 { try crowd.act(number, &random) }
    let before = callocation_counter_live_bytes()
    for number in events / 2..<events { try crowd.act(number, &random) }
    let growth = callocation_counter_live_bytes() - before
    #expect(growth < 65_536, "\(growth) bytes; \(random.note)")
    #expect(crowd.refused > 0, "the caps were reached")
    #expect(crowd.kept > events / 100)
  }
}

/// Programs that come and go and never say a name twice.
private struct Crowd {
  private var example: Example
  private var programs: [InstanceID]
  private var clips: [ClipID] = []
  /// Calls that met a cap.
  private(set) var refused = 0
  /// Changes that had to be written down.
  private(set) var kept = 0

  init() throws {
    var limits = StateLimits()
    (limits.accountsPerUser, limits.viewersPerInstance, limits.windowsPerInstance) = (64, 64, 64)
    example = try Example(limits: limits)
    programs = [example.portal]
    for uid in 1001..<1009 { programs.append(try example.attach("com.contoso.portal", uid: UInt32(uid), as: "")) }
  }

  mutating func act(_ number: Int, _ random: inout SeededGenerator) throws {
    let name = String(random.next(), radix: 16)
    let index = random.below(programs.count)
    do throws(Refusal) {
      switch random.below(24) {
      case 0: try example.state.register(ViewerDescription(name, window: name), in: programs[index], example.snapshot)
      case 1: try show("\(name)@contoso.com", in: nil, of: programs[index])
      case 2: try show(random.one(of: ["work@contoso.com", ""]), in: name, of: programs[index])
      case 3 where index > 0: try restart(index)
      default: ask(name, programs[index], &random)
      }
    } catch {
      guard case .limitReached = error else { throw error }
      refused += 1
    }
    guard number % 64 == 0 else { return }
    var changes = KeptState()
    example.state.takeChanges(into: &changes)
    kept += changes.selections.count + changes.issued.count
  }

  private mutating func show(_ account: String, in window: String?, of id: InstanceID) throws(Refusal) {
    let identity = try example.state.identity(account, in: id, example.snapshot)
    if let window {
      _ = try example.state.setIdentity(identity, ofWindow: window, in: id, example.snapshot)
    } else {
      _ = try example.state.setProcessIdentity(identity, in: id, example.snapshot)
    }
  }

  private mutating func restart(_ index: Int) throws(Refusal) {
    let uid = example.state.instance(programs[index])?.peer.uid ?? 0
    example.state.end(programs[index])
    programs[index] = try example.state.attach(app: 0, peer: Peer(uid: uid), example.snapshot)
  }

  private mutating func ask(_ name: String, _ id: InstanceID, _ random: inout SeededGenerator) {
    let kinds: [EventKind] = [.navigate, .copy, .paste, .clipboardChanged, .dragEnd, .save, .upload, .receive]
    var event = Event(random.one(of: kinds))
    event.viewer = event.append(random.one(of: ["D", "P", name]))
    event.url = event.append("https://\(name).example/")
    event.display = event.append(name)
    event.owner = event.append(name)
    event.selection = random.one(of: [.clipboard, .primary, .drag, .unknown])
    event.length = random.below(9)
    event.selfOwned = random.one(of: [.yes, .no, .unknown])
    if !clips.isEmpty { event.clip = .id(random.one(of: clips)) }
    let decision = decide(event, of: id, &example.state, under: example.snapshot)
    guard let clip = decision.clip else { return }
    if clips.count < 300 { clips.append(clip) } else { clips[random.below(300)] = clip }
  }
}
