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
