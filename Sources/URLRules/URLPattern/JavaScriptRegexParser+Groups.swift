// Atoms and groups.
extension JavaScriptRegexParser {
  mutating func readAtom() throws(JavaScriptRegexError) -> Node {
    let start = position
    guard let byte = next else { return .sequence([]) }
    switch byte {
    case UInt8(ascii: "."):
      position += 1
      return .set(flags.dotTakesAll ? .all : ASCIISet.all.subtracting(.lineEnds))
    case UInt8(ascii: "("): return try readGroup()
    case UInt8(ascii: "["): return try readClass()
    case UInt8(ascii: "\\"): return try readEscape()
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"):
      throw error("`\(Character(Unicode.Scalar(byte)))` repeats nothing", at: start)
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "]"):
      let character = Character(Unicode.Scalar(byte))
      throw error("`\(character)` stands alone; the character itself is `\\\(character)`", at: start)
    default:
      position += 1
      return single(UInt32(byte))
    }
  }

  /// One code point, in both cases when case is ignored.
  func single(_ codePoint: UInt32) -> Node { .set(expanded(folding(codePoint...codePoint))) }

  private mutating func readGroup() throws(JavaScriptRegexError) -> Node {
    let start = position
    if consume("(?<") { return try readNamedGroup(from: start) }
    if consume("(?") {
      let outer = flags
      flags = try readModifiers()
      let node = try readAlternatives()
      flags = outer
      try close(from: start)
      return node
    }
    position += 1
    return try readNumberedGroup(from: start)
  }

  private mutating func readNumberedGroup(from start: Int) throws(JavaScriptRegexError) -> Node {
    groupCount += 1
    guard groupCount <= Self.maximumGroups else {
      throw error("there are more than \(Self.maximumGroups) groups", at: start)
    }
    let number = groupCount
    let node = try readAlternatives()
    try close(from: start)
    return .group(number, node)
  }

  private mutating func readNamedGroup(from start: Int) throws(JavaScriptRegexError) -> Node {
    let name = try readName()
    guard namesInAlternative.insert(name).inserted else {
      throw error("the group name `\(name)` is used twice", at: start)
    }
    names[name, default: []].append(groupCount + 1)
    return try readNumberedGroup(from: start)
  }

  /// The name up to `>`.
  private mutating func readName() throws(JavaScriptRegexError) -> String {
    let start = position
    while let byte = next, ASCIISet.word.contains(byte) || byte == UInt8(ascii: "$") { position += 1 }
    let name = String(decoding: text[start..<position], as: UTF8.self)
    guard let first = name.utf8.first, !ASCIISet.digits.contains(first), consume(">") else {
      throw error("a group name is written `<name>`, of letters, digits, `_` and `$`", at: start)
    }
    return name
  }

  /// The modifiers between `(?` and `:`.
  private mutating func readModifiers() throws(JavaScriptRegexError) -> Flags {
    let start = position
    var result = flags
    var seen: [UInt8] = []
    var adds = true
    var removes = false
    while let byte = next, byte != UInt8(ascii: ":") {
      position += 1
      if byte == UInt8(ascii: "-"), adds {
        adds = false
        removes = true
        continue
      }
      guard !seen.contains(byte), result.set(byte, to: adds) else {
        throw error("`(?` begins `(?:…)`, a look ahead or behind, or flags as in `(?i:…)`", at: start)
      }
      seen.append(byte)
    }
    guard consume(":"), !removes || !seen.isEmpty else {
      throw error("`(?` begins `(?:…)`, a look ahead or behind, or flags as in `(?i:…)`", at: start)
    }
    return result
  }

  mutating func readReference(number: Int, from start: Int) throws(JavaScriptRegexError) -> Node {
    try add(Reference(number: number, name: "", offset: start))
  }

  private mutating func add(_ reference: Reference) throws(JavaScriptRegexError) -> Node {
    guard references.count < Self.maximumGroups else {
      throw error("there are more than \(Self.maximumGroups) references", at: reference.offset)
    }
    references.append(reference)
    return .reference(references.count - 1, ignoresCase: flags.ignoresCase)
  }

  /// The reference behind `\k`.
  mutating func readNamedReference(from start: Int) throws(JavaScriptRegexError) -> Node {
    guard consume("<") else { throw error("`\\k` is followed by a group name, as in `\\k<name>`", at: start) }
    return try add(Reference(number: nil, name: try readName(), offset: start))
  }
}

extension JavaScriptRegexParser.Flags {
  /// Sets the flag called `name`; false when there is none.
  fileprivate mutating func set(_ name: UInt8, to value: Bool) -> Bool {
    switch name {
    case UInt8(ascii: "i"): ignoresCase = value
    case UInt8(ascii: "m"): isMultiline = value
    case UInt8(ascii: "s"): dotTakesAll = value
    default: return false
    }
    return true
  }
}

// References, once all groups are known.
extension JavaScriptRegexParser {
  /// Groups that a reference from elsewhere would find filled in another way than in a browser.
  struct ReferenceFault {
    var groups: Range<Int>
    /// The references among them that see the same as in a browser.
    var exempt: Range<Int>
    var reason: String
  }

  var resolvedReferences: [[Int]] {
    references.map { reference in reference.number.map { [$0] } ?? names[reference.name] ?? [] }
  }

  func checkReferences() throws(JavaScriptRegexError) {
    for (index, groups) in resolvedReferences.enumerated() {
      let reference = references[index]
      guard !groups.isEmpty, groups.allSatisfy({ $0 <= groupCount }) else {
        let name = reference.number.map { String($0) } ?? reference.name
        throw error("there is no group `\(name)`", at: reference.offset)
      }
      for fault in faults where !fault.exempt.contains(index) && groups.contains(where: fault.groups.contains) {
        throw error("a reference to \(fault.reason) is not matched here", at: reference.offset)
      }
    }
  }
}
