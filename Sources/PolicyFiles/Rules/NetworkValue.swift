internal import URLRules

/// The value of `cidr`: a block of addresses.
///
///     cidr: 10.0.0.0/8      // also [::ffff:10.1.2.3]; names are never resolved
///     cidr: 10.0.0.1/8      // error; hint: write `10.0.0.0/8`
enum NetworkValue {
  static var decoder: YAMLDecoder<Condition> {
    YAMLDecoder("a block of addresses") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      do throws(IPNetwork.Problem) {
        return .network(try IPNetwork(text))
      } catch {
        diagnostics.error(
          .invalidNetwork, at: node.location, "\(text.quoted) is not a block of addresses", hint: hint(error))
        return nil
      }
    }
  }

  private static func hint(_ problem: IPNetwork.Problem) -> String {
    switch problem {
    case .noAddress: "write it as in `10.0.0.0/8` or `2001:db8::/32`; names are never resolved: use `host` for one"
    case .noPrefix: "behind `/` stands a number of bits, as in `10.0.0.0/8`"
    case .prefixTooLong: "an IPv4 address has 32 bits, and an IPv6 address 128"
    case .bitsBehindPrefix(let network): "bits behind the prefix are set: write \("\(network)".quoted)"
    }
  }
}
