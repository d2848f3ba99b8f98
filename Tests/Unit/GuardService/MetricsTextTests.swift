import GuardService
import Testing

/// The text format of Prometheus: what stands in labels cannot end its line.
@Suite struct MetricsTextTests {
  @Test func aFamilyAndItsSamples() {
    var text = MetricsText()
    text.family("a_total", .counter, "What it counts.")
    text.sample("a_total", ["file": "x"], 3)
    text.sample("a_total", 4)
    #expect(
      written(text) == "# HELP a_total What it counts.\n# TYPE a_total counter\na_total{file=\"x\"} 3\na_total 4\n")
  }

  @Test(arguments: [
    ("plain", "plain"), (#"a"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#), ("é", "é"), ("", ""),
    (#"\""#, #"\\\""#),
  ])
  func labelsAreEscaped(_ value: String, _ escaped: String) {
    var text = MetricsText()
    text.sample("a", ["l": value], 1)
    #expect(written(text) == "a{l=\"\(escaped)\"} 1\n")
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.001"), (10, "0.01"), (999, "0.999"), (1000, "1"), (1500, "1.5"),
      (1_795_000_000_001, "1795000000.001"),
    ] as [(UInt64, String)])
  func timesAreSeconds(_ milliseconds: UInt64, _ seconds: String) {
    var text = MetricsText()
    text.sample("a", seconds: milliseconds)
    #expect(written(text) == "a \(seconds)\n")
  }

  private func written(_ text: MetricsText) -> String { String(decoding: text.bytes, as: UTF8.self) }
}
