/// Writes the text format of Prometheus, version 0.0.4.
///
///     var text = MetricsText()
///     text.family("webviewguard_up", .gauge, "Whether the daemon answers.")
///     text.sample("webviewguard_up", 1)
///     // # HELP webviewguard_up Whether the daemon answers.
///     // # TYPE webviewguard_up gauge
///     // webviewguard_up 1
///
/// Label values come from the configuration and may hold anything: `\`, `"` and line breaks are escaped.
package struct MetricsText {
  package enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Begins a family: the samples behind it belong to it. `help` is a text of ours, in one line.
  package mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
    append("# HELP ")
    append(name)
    append(" ")
    append(help)
    append("\n# TYPE ")
    append(name)
    append(" ")
    bytes += kind.rawValue.utf8
    append("\n")
  }

  package mutating func sample(_ name: StaticString, suffix: StaticString = "", _ value: UInt64) {
    sample(name, suffix, [:], value: String(value))
  }

  package mutating func sample(
    _ name: StaticString, suffix: StaticString = "", _ labels: KeyValuePairs<StaticString, String>, _ value: UInt64
  ) {
    sample(name, suffix, labels, value: String(value))
  }

  /// A time, which is told in seconds.
  package mutating func sample(_ name: StaticString, seconds milliseconds: UInt64) {
    sample(name, "", [:], value: Self.decimal(milliseconds, scale: 3))
  }

  private mutating func sample(
    _ name: StaticString, _ suffix: StaticString, _ labels: KeyValuePairs<StaticString, String>, value: String
  ) {
    append(name)
    append(suffix)
    for (index, label) in labels.enumerated() {
      append(index == 0 ? "{" : ",")
      append(label.key)
      append("=\"")
      append(escaping: label.value)
      append("\"")
    }
    append(labels.isEmpty ? " " : "} ")
    bytes += value.utf8
    append("\n")
  }

  /// A family of one sample without labels.
  package mutating func single(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: UInt64) {
    family(name, kind, help)
    sample(name, value)
  }

  /// The buckets, the sum and the count of a histogram, in seconds.
  mutating func histogram(_ name: StaticString, _ help: StaticString, _ histogram: LatencyHistogram) {
    family(name, .histogram, help)
    for bucket in histogram.cumulative {
      sample(name, suffix: "_bucket", ["le": Self.decimal(bucket.bound, scale: 6)], bucket.count)
    }
    sample(name, suffix: "_bucket", ["le": "+Inf"], histogram.count)
    sample(name, "_sum", [:], value: Self.decimal(histogram.sum, scale: 6))
    sample(name, suffix: "_count", histogram.count)
  }

  /// A whole number with its point moved: `decimal(1500, scale: 3)` is `1.5`.
  static func decimal(_ number: UInt64, scale: Int) -> String {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    let whole = padded.dropLast(scale)
    var fraction = padded.suffix(scale)
    while fraction.last == "0" { fraction.removeLast() }
    return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
  }

  private mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

  private mutating func append(escaping text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\n"): append("\\n")
      default: bytes.append(byte)
      }
    }
  }
}
