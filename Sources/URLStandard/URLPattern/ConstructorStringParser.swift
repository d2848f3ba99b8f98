/// Finds the components of a pattern that is written like a URL.
///
///     https://*.example.com/docs/:id?lang=*   ->   protocol `https`, hostname `*.example.com`, port ``, pathname
///                                                  `/docs/:id?lang=*` (the `?` makes `:id` optional)
///
/// A component that is not reached matches anything; one that is passed over without text is empty.
///
/// Source: URL Pattern Standard, section 1.6.
struct ConstructorStringParser {
  enum State {
    case start
    case authority
    case component(URLComponent)
    case done
  }

  /// Whether the protocol with this text takes a special scheme.
  typealias SchemeTest = (ShiftedText) throws(URLPatternError) -> Bool

  let input: PatternString
  let tokens: [PatternToken]
  let takesSpecialScheme: SchemeTest
  private(set) var result: [URLComponent: ShiftedText] = [:]
  private var componentStart = 0
  var index = 0
  private var increment = 1
  private var groupDepth = 0
  private var bracketDepth = 0
  private var isSpecial = false
  private var state = State.start

  /// The components that `text` gives, each with its place.
  static func components(
    of text: String, takesSpecialScheme: SchemeTest
  ) throws(URLPatternError) -> [URLComponent: ShiftedText] {
    let input = PatternString(text)
    let tokens = try PatternTokenizer.tokens(of: input, isStrict: false)
    return try withoutActuallyEscaping(takesSpecialScheme) { test throws(URLPatternError) in
      var parser = ConstructorStringParser(input: input, tokens: tokens, takesSpecialScheme: test)
      try parser.parse()
      return parser.result
    }
  }

  private init(input: PatternString, tokens: [PatternToken], takesSpecialScheme: @escaping SchemeTest) {
    self.input = input
    self.tokens = tokens
    self.takesSpecialScheme = takesSpecialScheme
  }

  private mutating func parse() throws(URLPatternError) {
    while index < tokens.count {
      increment = 1
      if tokens[index].kind == .end {
        guard endOfInput() else { break }
      } else if tokens[index].kind == .open {
        groupDepth += 1
      } else if groupDepth > 0, tokens[index].kind != .close {
        // Nothing inside `{…}` ends a component.
      } else {
        if groupDepth > 0 { groupDepth -= 1 }
        try readToken()
      }
      index += increment
    }
    if result[.hostname] != nil, result[.port] == nil { result[.port] = ShiftedText(text: "") }
  }

  /// Decides the kind of a text that ended too early; false when all is read.
  private mutating func endOfInput() -> Bool {
    switch state {
    case .start:
      rewind()
      if isHashPrefix {
        change(to: .component(.hash), skip: 1)
      } else if isSearchPrefix {
        change(to: .component(.search), skip: 1)
      } else {
        change(to: .component(.pathname), skip: 0)
      }
      return true
    case .authority:
      rewind()
      state = .component(.hostname)
      return true
    case .component, .done:
      change(to: .done, skip: 0)
      return false
    }
  }
}

// One token in each state.
extension ConstructorStringParser {
  private mutating func readToken() throws(URLPatternError) {
    switch state {
    case .start:
      guard isColon else { return }
      rewind()
      state = .component(.protocol)
    case .authority: readAuthority()
    case .component(.protocol): if isColon { try endProtocol() }
    case .component(.username): readUsername()
    case .component(.password): if isIdentityTerminator { change(to: .component(.hostname), skip: 1) }
    case .component(.hostname): readHostname()
    case .component(.port): readEndOfAuthority()
    case .component(.pathname): readEndOfPathname()
    case .component(.search): if isHashPrefix { change(to: .component(.hash), skip: 1) }
    case .component(.hash), .done: break
    }
  }

  private mutating func endProtocol() throws(URLPatternError) {
    isSpecial = try takesSpecialScheme(componentText())
    if isNonSpecial(index + 1, "/"), isNonSpecial(index + 2, "/") {
      change(to: .authority, skip: 3)
    } else {
      change(to: isSpecial ? .authority : .component(.pathname), skip: 1)
    }
  }

  private mutating func readAuthority() {
    guard isIdentityTerminator || isPathnameStart || isSearchPrefix || isHashPrefix else { return }
    let next = URLComponent.username
    state = .component(isIdentityTerminator ? next : .hostname)
    rewind()
  }

  private mutating func readUsername() {
    if isColon {
      change(to: .component(.password), skip: 1)
    } else if isIdentityTerminator {
      change(to: .component(.hostname), skip: 1)
    }
  }

  private mutating func readHostname() {
    if isNonSpecial(index, "[") {
      bracketDepth += 1
    } else if isNonSpecial(index, "]") {
      bracketDepth -= 1
    } else if isColon, bracketDepth == 0 {
      change(to: .component(.port), skip: 1)
    } else {
      readEndOfAuthority()
    }
  }

  private mutating func readEndOfAuthority() {
    if isPathnameStart { change(to: .component(.pathname), skip: 0) } else { readEndOfPathname() }
  }

  private mutating func readEndOfPathname() {
    if isSearchPrefix {
      change(to: .component(.search), skip: 1)
    } else if isHashPrefix {
      change(to: .component(.hash), skip: 1)
    }
  }
}

// The possible meanings of a token at its place.
extension ConstructorStringParser {
  /// Whether the token is this character, and no part of the pattern syntax.
  private func isNonSpecial(_ index: Int, _ character: Unicode.Scalar) -> Bool {
    let token = tokens[min(index, tokens.count - 1)]
    switch token.kind {
    case .char, .escapedChar, .invalidChar: return input.holds(token, character)
    default: return false
    }
  }

  private var isColon: Bool { isNonSpecial(index, ":") }
  private var isIdentityTerminator: Bool { isNonSpecial(index, "@") }
  private var isPathnameStart: Bool { isNonSpecial(index, "/") }
  private var isHashPrefix: Bool { isNonSpecial(index, "#") }

  /// A `?` that is not the modifier of a group before it.
  private var isSearchPrefix: Bool {
    if isNonSpecial(index, "?") { return true }
    guard input.holds(tokens[index], "?") else { return false }
    guard index > 0 else { return true }
    switch tokens[index - 1].kind {
    case .name, .regexp, .close, .asterisk: return false
    default: return true
    }
  }
}

// Going on.
extension ConstructorStringParser {
  private mutating func rewind() {
    index = componentStart
    increment = 0
  }

  private func componentText() -> ShiftedText {
    let start = tokens[min(componentStart, tokens.count - 1)].index
    let end = max(start, tokens[min(index, tokens.count - 1)].index)
    return ShiftedText(text: input.text(start..<end), shift: input.byteOffset(of: start))
  }

  private mutating func change(to next: State, skip: Int) {
    if case .component(let component) = state { result[component] = componentText() }
    if case .component(let component) = next { fillGap(before: component) }
    state = next
    index += skip
    componentStart = index
    increment = 0
  }

  /// Gives each skipped component the text that it has in a URL without it.
  private mutating func fillGap(before next: URLComponent) {
    let current: URLComponent
    switch state {
    case .start, .done: return
    case .authority: current = .protocol
    case .component(let component): current = component
    }
    for component in [URLComponent.hostname, .pathname, .search] where result[component] == nil {
      guard Self.rank(current) < Self.rank(component), Self.rank(component) < Self.rank(next) else { continue }
      result[component] = ShiftedText(text: component == .pathname && isSpecial ? "/" : "")
    }
  }

  private static func rank(_ component: URLComponent) -> Int { URLComponent.allCases.firstIndex(of: component) ?? 0 }
}
