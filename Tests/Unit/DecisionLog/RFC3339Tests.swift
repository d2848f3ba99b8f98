import GuardModel
import Foundation
import Testing

@Suite struct RFC3339Tests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (999, "1970-01-01T00:00:00.999Z"), (68_169_600_000, "1972-02-29T00:00:00.000Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"), (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
      (1_735_689_600_000, "2025-01-01T00:00:00.000Z"), (1_795_228_769_123, "2026-11-21T02:39:29.123Z"),
      (4_107_542_399_000, "2100-02-28T23:59:59.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (UInt64.max, "9999-12-31T23:59:59.999Z"),
    ] as [(UInt64, String)])
  func timesAreWrittenAsInTheTable(_ milliseconds: UInt64, _ text: String) {
    #expect(RFC3339.text(milliseconds) == text)
    #expect(RFC3339.milliseconds(text) == min(milliseconds, RFC3339.latest))
  }

  @Test func tenThousandSeededTimesAgreeWithFoundation() {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime]
    var state: UInt64 = 20_261_121
    for _ in 0..<10_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let milliseconds = (state >> 16) % (RFC3339.latest + 1)
      let written = RFC3339.text(milliseconds)
      let seconds = formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds / 1000)))
      let fraction = String(String(1000 + milliseconds % 1000).dropFirst())
      #expect(written == seconds.dropLast() + "." + fraction + "Z", "seed 20261121")
      #expect(RFC3339.milliseconds(written) == milliseconds)
    }
  }

  @Test(
    arguments: [
      ("2026-11-21", 1_795_219_200_000), ("2026-11-21T02:39:29Z", 1_795_228_769_000),
      ("2026-11-21 02:39:29.5Z", 1_795_228_769_500), ("2026-11-21t03:39:29.123987+01:00", 1_795_228_769_123),
      ("2026-11-20T18:09:29-08:30", 1_795_228_769_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
      ("1970-01-01T01:00:00+01:00", 0),
    ] as [(String, UInt64)])
  func whatPeopleTypeIsRead(_ text: String, _ milliseconds: UInt64) {
    #expect(RFC3339.milliseconds(text) == milliseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-11-21T", "2026-11-21T02:39Z", "2026-11-21T02:39:29", "2026-11-21T02:39:29.Z",
    "2026-13-01", "2026-00-01", "2026-02-29", "2100-02-29", "2026-04-31", "2026-11-21T24:00:00Z",
    "2026-11-21T02:39:61Z", "2026-11-21T02:39:29Zx", "2026-11-21T02:39:29+0100", "1969-12-31T23:59:59Z",
    "1970-01-01T00:00:00+00:01", "0000-01-01", "2026-11-2١", "+026-11-21",
  ])
  func whatIsNoTimeIsNil(_ text: String) {
    #expect(RFC3339.milliseconds(text) == nil)
  }
}
