/// Why nothing could be measured.
enum MeasureError: Error, CustomStringConvertible {
  case usage
  case cannotRead(String)
  case cannotWrite(String)
  case noLines(String)
  /// The file, and what is wrong with it.
  case invalidRules(String, String)

  var description: String {
    switch self {
    case .usage:
      "usage: measure parse URLS | rules RULES URLS [DOCUMENT] | loop PATTERNS URLS | decisions | accounts PERSONS"
    case .cannotRead(let path): "`\(path)` cannot be read"
    case .cannotWrite(let path): "`\(path)` cannot be written"
    case .noLines(let path): "`\(path)` has no lines"
    case .invalidRules(let path, let problem): "`\(path)` cannot be used: \(problem)"
    }
  }
}
