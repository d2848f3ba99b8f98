internal import ArgumentParser
internal import PolicyTools

extension OutputFormat: ExpressibleByArgument {}

struct FormatOptions: ParsableArguments {
  @Option(help: "How results are printed.")
  var format = OutputFormat.text
}
