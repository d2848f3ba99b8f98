import PolicyFiles
import Testing

/// Ours, in every file of this target: Testing has a type of the same name.
typealias SourceLocation = PolicyFiles.SourceLocation

/// A file and the diagnostics it must give, as they are printed; none for a good file.
struct YAMLCase: Sendable, CustomTestStringConvertible {
  let yaml: String
  let printed: String

  init(_ yaml: String, _ printed: String...) {
    self.yaml = yaml
    self.printed = printed.joined(separator: "\n")
  }

  var testDescription: String { yaml.debugDescription }
}

/// Everything that reading `yaml` alone reports.
func problems(reading yaml: String) -> String {
  problems(reading: Array(yaml.utf8))
}

func problems(reading bytes: [UInt8], limit: Int = YAMLReader.maximumFileSize) -> String {
  var diagnostics = Diagnostics()
  _ = YAMLReader.read(bytes.span, file: "f", limit: limit, into: &diagnostics)
  return diagnostics.description
}

/// The value `decoder` makes of `yaml`, and everything that was reported on the way.
func decode<Value>(_ yaml: String, _ decoder: YAMLDecoder<Value>) -> (value: Value?, problems: String) {
  var diagnostics = Diagnostics()
  let root = YAMLReader.read(Array(yaml.utf8).span, file: "f", into: &diagnostics)
  let value = root.flatMap { $0.decode(decoder, into: &diagnostics) }
  return (value, diagnostics.description)
}

/// A small generator with a seed, so that what failed can be run again (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
