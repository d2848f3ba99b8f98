internal import GuardModel
internal import JSONText
internal import URLRules

/// Rules for an engine without an order: a block list and an allow list, with the engine's own precedence between them.
///
///     external  host a.contoso.com/x            Chromium prefers the longer host, then the longer path, then to allow;
///     internal  domain contoso.com         ->   Firefox always prefers to allow.
///     external  scheme http                     block .a.contoso.com/x, http://*   allow http://contoso.com
///
/// Only those parts of a passing rule are exported that a later rule would block, so they are as special as that block.
package struct PrecedenceExport: Sendable {
  package enum Engine: Sendable, Hashable {
    case chromium
    case firefox

    /// Longer lists are cut off by the engine, or slow it down.
    package var maximumEntries: Int { 1_000 }
  }

  package private(set) var blocked: [String] = []
  package private(set) var allowed: [String] = []
  package private(set) var notes: [StaticNote] = []

  /// A part of an item, of one host.
  private struct Atom {
    /// The place of the item.
    var place: Int
    var term: StaticTerm
    var texts: [String]
    var rank: UInt64
    /// The rule that is blocked where this lets pass.
    var other: RuleNumber
  }

  /// A part of an item that passes already.
  private struct Passed: Hashable {
    var place: Int
    var term: StaticTerm
  }

  private let engine: Engine
  private let items: [StaticRules.Item]
  private var book: StaticNoteBook
  private var blocks: [Atom] = []
  private var passes: [Atom] = []
  private var passed: Set<Passed> = []
  /// Blocking atoms whose exceptions are still to be found.
  private var next = 0

  package init(_ rules: StaticRules, for engine: Engine) {
    self.engine = engine
    book = StaticNoteBook(rules)
    items = rules.items
    for place in items.indices where items[place].isBlocked { block(place) }
    while next < blocks.count {
      next += 1
      except(from: next - 1)
    }
    blocked = Self.unique(blocks)
    allowed = Self.unique(passes)
    notes = book.finish()
  }

  private static func unique(_ atoms: [Atom]) -> [String] {
    var seen: Set<String> = []
    return atoms.flatMap(\.texts).filter { seen.insert($0).inserted }
  }

  private mutating func block(_ place: Int) {
    let item = items[place]
    guard item.purposes.contains(.page) else {
      return book.omit(item, item.purposes.contains(.frame) ? .frameOnly : .resourceOnly)
    }
    if item.purposes.contains(.resource) { book.omit(item, .resourceOnly) }
    for term in item.term.singleHosts(atMost: engine.maximumEntries + 1) {
      guard blocks.count < engine.maximumEntries else { return book.omit(item, .limit) }
      do throws(StaticGap) {
        blocks.append(try atom(place, term, isBlocked: true, other: item.rule))
        book.say(item)
      } catch {
        book.omit(item, error)
      }
    }
  }

  private func atom(_ place: Int, _ term: StaticTerm, isBlocked: Bool, other: RuleNumber) throws(StaticGap) -> Atom {
    switch engine {
    case .chromium:
      let side: FilterSide = isBlocked ? .block : .allow
      return Atom(
        place: place, term: term, texts: try term.filters(side), rank: term.filterRank(side), other: other)
    case .firefox:
      return Atom(place: place, term: term, texts: try term.matchPatterns, rank: isBlocked ? 0 : 1, other: other)
    }
  }

  /// Lets pass the parts of a block that earlier items let pass.
  private mutating func except(from index: Int) {
    let block = blocks[index]
    for place in 0..<block.place where !items[place].isBlocked && items[place].purposes.contains(.page) {
      guard let both = items[place].term.intersection(block.term) else { continue }
      // The block's demand on the query cannot be let pass as it is blocked; the whole path can.
      let region = both.withQuery(of: items[place].term)
      for host in 0..<region.hostCount {
        guard passes.count < engine.maximumEntries else {
          book.leaveOpen(items[place].rule, .limit, to: items[block.place].rule)
          break
        }
        pass(place, region.singleHost(host), block)
      }
    }
  }

  private mutating func pass(_ place: Int, _ term: StaticTerm, _ block: Atom) {
    let item = items[place]
    guard !passed.contains(Passed(place: place, term: term)) else { return }
    do throws(StaticGap) {
      let atom = try atom(place, term, isBlocked: false, other: block.other)
      guard atom.rank > block.rank else { throw block.term.query.isEmpty ? .precedence : .query }
      var again: [Atom] = []
      for earlier in blocks where earlier.place < place && earlier.term.intersects(term) {
        if earlier.term.contains(term) { return }
        if earlier.rank > atom.rank || isPassed(earlier, within: term) { continue }
        again.append(try blockAgain(earlier, within: atom))
      }
      blocks += again.filter { new in !blocks.contains { $0.place == new.place && $0.term == new.term } }
      passes.append(atom)
      passed.insert(Passed(place: place, term: term))
    } catch {
      book.leaveOpen(item.rule, error, to: items[block.place].rule)
    }
  }

  /// Whether something before a block lets pass all of it that lies in a term.
  private func isPassed(_ block: Atom, within term: StaticTerm) -> Bool {
    guard let both = block.term.intersection(term) else { return true }
    return items[..<block.place].contains {
      !$0.isBlocked && $0.purposes.contains(.page) && $0.term.contains(both)
    }
  }

  /// Blocks an earlier item's URLs once more within a later exception, as a more special item than that exception.
  private func blockAgain(_ earlier: Atom, within pass: Atom) throws(StaticGap) -> Atom {
    guard let both = earlier.term.intersection(pass.term), both.singleHosts().count == 1 else { throw .precedence }
    guard let atom = try? self.atom(earlier.place, both, isBlocked: true, other: earlier.other) else {
      throw .precedence
    }
    guard atom.rank > pass.rank else { throw .precedence }
    return atom
  }
}

extension JSONWriter {
  /// Writes `URLBlocklist` and `URLAllowlist`; returns how many entries they have.
  mutating func write(chromiumPolicy export: PrecedenceExport) -> Int {
    beginObject()
    write("URLBlocklist", export.blocked)
    if !export.allowed.isEmpty { write("URLAllowlist", export.allowed) }
    endObject()
    return export.blocked.count + export.allowed.count
  }

  /// Writes `policies.json` with a `WebsiteFilter`; returns how many entries it has.
  mutating func write(firefoxPolicy export: PrecedenceExport) -> Int {
    beginObject()
    key("policies")
    beginObject()
    key("WebsiteFilter")
    beginObject()
    write("Block", export.blocked)
    if !export.allowed.isEmpty { write("Exceptions", export.allowed) }
    endObject()
    endObject()
    endObject()
    return export.blocked.count + export.allowed.count
  }

  private mutating func write(_ name: StaticString, _ texts: [String]) {
    key(name)
    beginArray()
    for text in texts { value(text) }
    endArray()
  }
}
