import GuardService
import PolicyEngine
import TestSupport
import URLRules

extension KeptException {
  /// Anything that a daemon may grant, in force or ended.
  static func random(_ random: inout SeededGenerator, id: String) throws -> KeptException {
    let names = ["files.example", "xn--bcher-kva.example", "127.0.0.1", "[::1]"]
    let name = random.one(of: names)
    guard let host = HostName(name) else { throw NoHost(name: name) }
    let since = 1_700_000_000_000 + random.next() >> 30
    let until = (since / 1000 + 1 + UInt64(random.below(30 * 86_400))) * 1000
    var exception = TimedException(
      id: id, host: host, takesHostsBelow: !host.isAddress && random.oneIn(2), since: since, until: until,
      grantor: Administrator(uid: UInt32(random.below(3)), user: random.one(of: ["root"], orNilOneIn: 2)),
      cause: "a tender\n\u{0}ü")
    exception.subjects = Purposes(rawValue: UInt8(1 + random.below(31)))
    exception.app = random.one(of: ["", "com.contoso.portal"], orNilOneIn: 2)
    exception.account = random.one(of: ["work@contoso.com"], orNilOneIn: 2)
    guard random.oneIn(2) else { return KeptException(exception) }
    let remover = random.oneIn(2) ? nil : Administrator(uid: 7, user: random.one(of: ["bob"], orNilOneIn: 2))
    return KeptException(exception, endedAt: since + 1, remover: remover)
  }

  struct NoHost: Error {
    let name: String
  }
}
