internal import JSONText
internal import URLRules

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
