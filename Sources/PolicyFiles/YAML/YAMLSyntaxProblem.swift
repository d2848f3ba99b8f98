/// libyaml's report when it cannot read on, to be put into plain English.
struct YAMLSyntaxProblem {
  /// libyaml's own words, such as "did not find expected key".
  var problem: String
  var mark: YAMLEvent.Mark
  /// Its step at that moment, such as "while parsing a block mapping"; may be empty.
  var context: String
  /// The start of that step's text.
  var contextMark: YAMLEvent.Mark

  /// The diagnostic for a reader of the file. It looks at `text` around the mark, since libyaml uses one wording for
  /// different mistakes of people.
  func diagnostic(in text: YAMLText) -> Diagnostic {
    let line = String(decoding: text.line(mark.line), as: UTF8.self).unicodeScalars
    let before = String(String.UnicodeScalarView(line.prefix(mark.column - 1)))
    let at = line.dropFirst(mark.column - 1).first
    let explanation = quotes(before) ?? tabs(before, at) ?? characters(at) ?? layout(before) ?? rest
    return Diagnostic(
      .error, explanation.code, at: location(explanation.mark ?? mark, in: text), explanation.message,
      hint: explanation.hint)
  }

  private func location(_ mark: YAMLEvent.Mark, in text: YAMLText) -> SourceLocation {
    let mark = min(mark, text.end)
    return SourceLocation(file: text.file, line: mark.line, column: mark.column)
  }
}

extension YAMLSyntaxProblem {
  private struct Explanation {
    var code: Diagnostic.Code = .syntax
    var message: String
    var hint: String?
    /// The place of the mistake, when libyaml noticed it elsewhere.
    var mark: YAMLEvent.Mark?
  }

  private func tabs(_ before: String, _ at: Unicode.Scalar?) -> Explanation? {
    let isIndented = before.unicodeScalars.allSatisfy { $0 == " " || $0 == "\t" }
    let isTab = problem.contains("a tab character") || (isIndented && (at == "\t" || before.contains("\t")))
    guard isTab else { return nil }
    return Explanation(code: .tabIndentation, message: "tab used for indentation", hint: "indent with spaces")
  }

  private func quotes(_ before: String) -> Explanation? {
    switch (context, problem) {
    case ("while scanning a quoted scalar", _):
      return Explanation(
        code: .unclosedQuote, message: "quote is never closed", hint: "add the closing quote", mark: contextMark)
    case (_, "found unknown escape character"):
      return Explanation(
        message: "unknown escape after a backslash",
        hint: "write `\\\\` for a backslash, or use single quotes, in which a backslash is an ordinary character")
    case ("while parsing a quoted scalar", _):
      return Explanation(
        message: "escape is not a character",
        hint: "`\\x` takes 2, `\\u` 4 and `\\U` 8 hexadecimal digits of a Unicode character")
    default: break
    }
    let endsItem = ["did not find expected key", "did not find expected '-' indicator"].contains(problem)
    guard endsItem, let last = before.last(where: { $0 != " " }), ["'", "\""].contains(last) else { return nil }
    return Explanation(
      message: "text after the closing quote",
      hint: "quote the whole value; inside single quotes write `'` twice, inside double quotes write `\\\"`")
  }

  private func characters(_ at: Unicode.Scalar?) -> Explanation? {
    switch (context, problem) {
    case ("while scanning an alias", _):
      return Explanation(
        message: "a plain value may not begin with `*`", hint: "put the value in quotes", mark: contextMark)
    case ("while scanning an anchor", _):
      return Explanation(
        message: "a plain value may not begin with `&`", hint: "put the value in quotes", mark: contextMark)
    case ("while scanning a tag", _), ("while parsing a tag", _), (_, "found undefined tag handle"):
      return Explanation(
        code: .tag, message: "a plain value may not begin with `!`", hint: "put the value in quotes", mark: contextMark)
    case (_, "found character that cannot start any token"):
      let character = at.map { String($0).quoted } ?? "this character"
      return Explanation(message: "a plain value may not begin with \(character)", hint: "put the value in quotes")
    case (_, "found incompatible YAML document"):
      return Explanation(
        code: .yamlVersion, message: "file asks for a YAML version that is not 1.2", hint: "remove the line")
    case ("while scanning a directive", _), ("while scanning a %YAML directive", _),
      ("while scanning a %TAG directive", _):
      return Explanation(
        message: "a line may not begin with `%`", hint: "put the value in quotes", mark: contextMark)
    default: return nil
    }
  }

  private func layout(_ before: String) -> Explanation? {
    switch problem {
    case "mapping values are not allowed in this context":
      return before.contains(": ")
        ? Explanation(message: "`: ` inside a plain value", hint: "put the value in quotes")
        : Explanation(
          code: .badIndentation, message: "a key is not expected here",
          hint: "line it up with the keys above; the line above must be `key: value`, or end in `:`",
          mark: YAMLEvent.Mark(line: mark.line, column: before.prefix { $0 == " " }.count + 1))
    case "block sequence entries are not allowed in this context":
      return Explanation(
        message: "a list may not begin behind a key", hint: "begin it on the next line, or use `[...]`")
    case "mapping keys are not allowed in this context":
      return Explanation(message: "a plain value may not begin with `? `", hint: "put the value in quotes")
    case "could not find expected ':'":
      return Explanation(
        message: "a key without `:`", hint: "write `key: value`, or indent the line more to continue the value above",
        mark: contextMark)
    case "did not find expected ',' or ']'":
      return Explanation(message: "list `[` is not closed here", hint: "add `,` or `]`; it began at \(contextPlace)")
    case "did not find expected ',' or '}'":
      return Explanation(
        message: "mapping `{` is not closed here", hint: "add `,` or `}`; it began at \(contextPlace)")
    case "did not find expected key" where !isFirst(before),
      "did not find expected '-' indicator" where !isFirst(before):
      return Explanation(message: "text after the end of a value", hint: "put the whole value in quotes")
    case "did not find expected key":
      return Explanation(
        code: .badIndentation, message: "a key of the mapping that began at \(contextPlace) is expected here",
        hint: "line it up with the keys above")
    case "did not find expected '-' indicator":
      return Explanation(
        code: .badIndentation, message: "`- ` of the list that began at \(contextPlace) is expected here",
        hint: "line it up with the items above")
    default: return nil
    }
  }

  private var rest: Explanation {
    switch (context, problem) {
    case (_, "did not find expected node content"):
      Explanation(message: "a value is expected here", hint: "put it in quotes if it begins with a bracket or comma")
    case (_, "did not find expected <document start>"):
      Explanation(message: "text after the end of the document", hint: "remove it, or indent it as part of a value")
    case ("while scanning a block scalar", _):
      Explanation(
        message: "text behind `|` or `>`", hint: "begin the text on the next line, or put the value in quotes")
    case (_, ""): Explanation(message: "not enough memory to read the file")
    default: Explanation(message: context.isEmpty ? problem : "\(problem) \(context)")
    }
  }

  private func isFirst(_ before: String) -> Bool { before.allSatisfy { $0 == " " } }

  /// The place where the context began, without the file name: it is the same file.
  private var contextPlace: String { "\(contextMark.line):\(contextMark.column)" }
}
