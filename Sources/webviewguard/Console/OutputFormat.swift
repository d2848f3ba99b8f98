internal import ArgumentParser

/// How results are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  /// For people.
  case text
  /// For programs: one JSON object a line.
  case json
}

struct FormatOptions: ParsableArguments {
  @Option(help: "How results are printed.")
  var format = OutputFormat.text
}
