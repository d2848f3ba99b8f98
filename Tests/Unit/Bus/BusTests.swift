import Bus
import Glibc
import Platform
import TestSupport
import Testing

/// A call to the peer of bus_peer.py.
private func peer(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
  BusCall(to: "org.example.Peer", at: "/peer", "org.example.Peer", member, arguments)
}

/// Long enough for a machine that builds beside the tests.
private let patience = 20_000

@Suite("Message buses", .serialized, .enabled(if: PrivateBus.isExpected))
struct BusTests {
  @Test(
    "Values come back as they were sent",
    arguments: [
      .byte(7), .bool(true), .int16(-3), .uint16(3), .int32(-70_000), .uint32(70_000), .int64(-1 << 40),
      .uint64(.max), .double(0.5), .string(""), .string("Zoë\n\u{1F600}"), .objectPath("/a/b"), .signature("a{sv}"),
      .array(of: "s", []), .array(of: "s", [.string("a"), .string("b")]),
      .structure([.bool(false), .string("x"), .structure([.uint32(1)])]),
      .options(["b": .uint64(2), "a": .string("1")]), .texts(["k": "v"]),
    ] as [BusValue])
  func echo(_ value: BusValue) throws {
    let bus = try Self.shared()
    let answer = try bus.call(peer("Echo", [.variant(value)]), milliseconds: patience)
    #expect(answer == [.variant(value)])
  }

  @Test("A question as polkit takes it, and its answer")
  func authorisation() throws {
    let subject: BusValue = .structure([.string("unix-process"), .options(["pid": .uint32(42)])])
    let answer = try Self.shared().call(
      peer("Authorise", [subject, .string("a.b"), .texts(["x": "y"]), .uint32(1), .string("")]), milliseconds: patience)
    let result = try #require(answer.first?.members)
    #expect(result[0].flag == true)
    #expect(result[1].flag == false)
    #expect(result[2]["kind"]?.text == "unix-process")
    #expect(result[2]["pid"]?.text == "42")
    #expect(result[2]["action"]?.text == "a.b")
    #expect(result[2]["flags"]?.text == "1")
    #expect(result[2]["x"]?.text == "y")
    #expect(result[2]["nothing"] == nil)
  }

  @Test("Properties, and what they are not")
  func properties() throws {
    let answer = try Self.shared().call(peer("Properties"), milliseconds: patience)
    let properties = try #require(answer.first)
    #expect(properties["IdleHint"]?.flag == true)
    #expect(properties["IdleHint"]?.number == nil)
    #expect(properties["IdleSinceHint"]?.number == 1 << 40)
    #expect(properties["Name"]?.text == "seat0")
    #expect(properties["Name"]?.flag == nil)
  }

  @Test("An open file reaches the peer, and stays ours")
  func descriptor() throws {
    let file = try OpenFile.reading("/proc/self/status")
    var status = stat()
    fstat(file.descriptor, &status)
    let answer = try Self.shared().call(peer("Inode", [.descriptor(file.descriptor)]), milliseconds: patience)
    #expect(answer == [.uint64(UInt64(status.st_ino))])
    #expect(fcntl(file.descriptor, F_GETFD) >= 0)
  }

  @Test(
    "What no answer may be",
    arguments: [
      ("Big", .tooLarge), ("Bytes", .tooLarge), ("Many", .tooLarge), ("Deep", .tooLarge),
    ] as [(String, BusError)])
  func tooLarge(_ member: String, _ error: BusError) throws {
    let bus = try Self.shared()
    #expect(throws: error) { try bus.call(peer(member), milliseconds: patience) }
    // The connection goes on.
    #expect(try bus.call(peer("Echo", [.variant(.byte(1))]), milliseconds: patience) == [.variant(.byte(1))])
  }

  @Test("An error's text is cut, and has no control characters")
  func refused() throws {
    let bus = try Self.shared()
    do throws(BusError) {
      _ = try bus.call(peer("Fail"), milliseconds: patience)
      Issue.record("the peer answered")
    } catch {
      guard case .refused(let name, let message) = error else { throw error }
      #expect(name == "org.example.Error.No")
      #expect(message.hasPrefix("no  [31m!"))
      #expect(message.count == 200)
    }
  }

  @Test("A peer that hangs costs the time that was given, and no more")
  func hang() throws {
    let bus = try Self.shared()
    let began = SystemClock.monotonicMilliseconds
    #expect(throws: BusError.timedOut) { try bus.call(peer("Hang"), milliseconds: 300) }
    #expect((300..<Int64(patience)).contains(SystemClock.monotonicMilliseconds - began))
    #expect(try bus.call(peer("Echo", [.variant(.byte(1))]), milliseconds: patience) == [.variant(.byte(1))])
  }

  @Test("Nobody of that name, no such method, no such path")
  func nobody() throws {
    let bus = try Self.shared()
    let calls = [
      BusCall(to: "org.example.Nobody", at: "/", "org.example.Nobody", "Ask"), peer("NoSuch"),
      BusCall(to: "org.example.Peer", at: "/elsewhere", "org.example.Peer", "Big"),
    ]
    for call in calls {
      do throws(BusError) {
        _ = try bus.call(call, milliseconds: patience)
        Issue.record("\(call.member) was answered")
      } catch {
        guard case .refused(let name, _) = error else { throw error }
        #expect(name.hasPrefix("org.freedesktop.DBus.Error."))
      }
    }
  }

  @Test(
    "A call that D-Bus cannot carry is not sent",
    arguments: [
      peer("Echo", [.variant(.string("a\0b"))]), peer("Ec ho"), peer("E\0"),
      BusCall(to: "no name", at: "/peer", "org.example.Peer", "Echo"),
      BusCall(to: "org.example.Peer", at: "peer", "org.example.Peer", "Echo"),
      peer("Echo", [.variant(.objectPath("no path"))]), peer("Echo", [.array(of: "s", [.byte(1)])]),
      peer("Echo", [.array(of: "!", [])]), peer("Echo", [.descriptor(-1)]),
    ])
  func unsendable(_ call: BusCall) throws {
    #expect(throws: BusError.unsendable) { try Self.shared().call(call, milliseconds: patience) }
  }

  @Test("News arrive in order, also while an answer is awaited; those over the limit are counted")
  func news() throws {
    let bus = try Self.shared()
    try bus.subscribe("type='signal',interface='org.example.Peer'", milliseconds: patience)
    #expect(try bus.call(peer("Shout", [.uint32(3)]), milliseconds: patience) == [.uint32(3)])
    for number in 0..<3 {
      let news = try bus.next(milliseconds: patience)
      guard case .signal(let signal) = news else { throw TestFailure("\(String(describing: news))") }
      #expect(signal.member == "Told")
      #expect(signal.path == "/peer")
      #expect(signal.sender.hasPrefix(":"))
      #expect(signal.arguments == [.uint32(UInt32(number))])
    }
    #expect(try bus.next(milliseconds: 0) == nil)
    #expect(bus.missed == 0)
    #expect(try bus.call(peer("Shout", [.uint32(1000)]), milliseconds: patience) == [.uint32(1000)])
    #expect(bus.missed == 1000 - 256)
  }

  @Test("Answers to calls that go on arrive under their numbers; a descriptor ends the wait")
  func later() throws {
    let bus = try Self.shared()
    let first = try bus.begin(peer("Hang"))
    let second = try bus.begin(peer("Echo", [.variant(.byte(2))]))
    #expect(first != second)
    #expect(try bus.next(milliseconds: patience) == .reply(second, .success([.variant(.byte(2))])))
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    write(ends[1], "x", 1)
    #expect(try bus.next(milliseconds: patience, waking: ends[0]) == nil)
  }

  @Test("A peer that goes away in the middle of its answer")
  func vanish() throws {
    let place = try PrivateBus()
    let bus = try Bus(address: place.address)
    do throws(BusError) {
      _ = try bus.call(peer("Vanish"), milliseconds: patience)
      Issue.record("nobody answered")
    } catch {
      guard case .refused(let name, _) = error else { throw error }
      #expect(name == "org.freedesktop.DBus.Error.NoReply")
    }
  }

  @Test("A bus that ends")
  func end() throws {
    let place = try PrivateBus()
    let bus = try Bus(address: place.address)
    _ = try bus.call(peer("Echo", [.variant(.byte(1))]), milliseconds: patience)
    place.endBus()
    #expect(throws: BusError.gone) { try bus.next(milliseconds: patience) }
    #expect(throws: BusError.gone) { try bus.next(milliseconds: patience) }
    #expect(throws: BusError.gone) { try bus.call(peer("Echo", [.variant(.byte(1))]), milliseconds: patience) }
  }

  @Test("Buses that are none", arguments: ["silent", "garbage", "half", "closes"])
  func noBus(_ mode: String) throws {
    let place = try PrivateBus(noBus: mode)
    do throws(BusError) {
      let bus = try Bus(address: place.address)
      _ = try bus.call(peer("Echo", [.variant(.byte(1))]), milliseconds: mode == "silent" ? 300 : patience)
      Issue.record("`\(mode)` answered")
    } catch {
      #expect(mode == "silent" ? error == .timedOut : [.gone, .malformed].contains(error), "\(error)")
    }
  }

  @Test(
    "Addresses where no bus is",
    arguments: ["unix:path=/nonexistent/bus", "nonsense", "", "unix:path=" + String(repeating: "x", count: 5000)])
  func addresses(_ address: String) throws {
    do throws(BusError) {
      let bus = try Bus(address: address)
      _ = try bus.call(peer("Echo"), milliseconds: 1000)
      Issue.record("`\(address)` answered")
    } catch {
      guard case .unreachable(let words) = error else { throw error }
      #expect(!words.isEmpty)
    }
  }

  /// One bus for the tests that leave it alive: Python takes a while to start.
  private nonisolated(unsafe) static var place: PrivateBus?

  private static func shared() throws -> Bus {
    if place == nil {
      place = try PrivateBus()
      atexit { BusTests.place = nil }
    }
    return try Bus(address: place?.address ?? "")
  }
}
