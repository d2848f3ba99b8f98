internal import GuardModel
internal import PolicyEngine
internal import URLRules

extension PolicyFileReader {
  /// What stands under `links`.
  struct LinkDrafts {
    var exempt: LinkListDraft?
    var managed: LinkListDraft?
  }

  var links: YAMLDecoder<LinkDrafts> {
    .mapping { reader in LinkDrafts(exempt: list("exempt", &reader), managed: list("managed", &reader)) }
  }

  private func list(_ key: String, _ reader: inout MappingReader) -> LinkListDraft? {
    let location = reader.location(of: key)
    // A link whose conditions hold takes a URL out of the protection.
    let lists = ListUses()
    let matchers = MatcherReader(source: source, suffixes: suffixes, lists: lists, side: .allow)
    let items = YAMLDecoder<[Link]>.goodItems(of: .mapping { reader in link(matchers, &reader) })
    guard let links = reader.optional(key, items) else { return nil }
    var draft = LinkListDraft(location: location, rules: [], programs: [], lists: lists.all)
    var places: [String: SourceLocation] = [:]
    for (index, link) in links.enumerated() {
      let id = link.id?.value ?? "\(key)-\(index + 1)"
      if let id = link.id, let first = places[id.value] {
        reader.diagnostics.definedTwice("link", id, first: first)
      }
      places[id] = link.id?.location ?? link.location
      // Internal, so that a link whose conditions are not known takes no URL out of the protection.
      draft.rules.append(
        Rule(
          id: id, verdict: .internal, condition: link.condition, purposes: .all, location: link.location.description))
      draft.programs.append(link.program)
    }
    return draft
  }

  private struct Link {
    var id: Located<String>?
    var condition: Condition
    var program: Program
    var location: SourceLocation
  }

  private func link(_ matchers: MatcherReader, _ reader: inout MappingReader) -> Link? {
    let condition = reader.required("match", matchers.group(.url))
    let id = reader.optional("id", .located(.name))
    let program = program(&reader)
    guard let condition else { return nil }
    return Link(id: id, condition: condition, program: program, location: reader.location)
  }
}

extension Purposes {
  fileprivate static var all: Purposes { Purposes(names.map(\.purpose)) }
}
