private import CICU

/// Unicode ToASCII (UTS 46) by ICU, with the URL Standard's options: CheckBidi and CheckJoiners, not transitional;
/// CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength off.
// INVARIANT: `handle` is set once and never closed, and ICU documents a UIDNA as immutable after opening and safe for
// use by several threads at once; hence unchecked.
struct InternationalName: @unchecked Sendable {
  private let handle: OpaquePointer

  /// The longest name, in bytes of UTF-8, that ICU is asked about; a longer one counts as no domain. That is eight times
  /// what the domain name system can hold (253 bytes; RFC 1035, section 2.3.4).
  ///
  /// ICU's work grows with the square of the number of labels: it took 18 ms for the 20,000 of one URL.
  static let maximumLength = 2_048

  /// Nil when ICU could not be opened: then no international name is valid.
  private static let processor = cicu_idna_open().map { InternationalName(handle: $0) }

  /// Appends the ASCII form of `name`, which is valid UTF-8; false when there is none.
  static func write(_ name: [UInt8], to output: inout [UInt8]) -> Bool {
    guard let processor, name.count <= maximumLength else { return false }
    let start = output.count
    var room = name.count * 2 + 64
    while let length = processor.write(name, to: &output, at: start, room: room) {
      if length <= room {
        output.truncate(to: start + length)
        return !processor.hidesPrefix(output, from: start)
      }
      room = length
    }
    return false
  }

  /// Lets ICU write into `room` bytes from `start` on. Returns how many it needs, nil when the name is no domain.
  private func write(_ name: [UInt8], to output: inout [UInt8], at start: Int, room: Int) -> Int? {
    guard let nameLength = Int32(exactly: name.count), let capacity = Int32(exactly: room) else { return nil }
    output.truncate(to: start)
    output.append(contentsOf: repeatElement(0, count: room))
    let length = name.withUnsafeBytes { name in
      output.withUnsafeMutableBytes { output in
        cicu_idna_to_ascii(
          handle, name.baseAddress?.assumingMemoryBound(to: CChar.self), nameLength,
          output.baseAddress?.assumingMemoryBound(to: CChar.self).advanced(by: start), capacity)
      }
    }
    return length >= 0 ? Int(length) : nil
  }

  /// The Unicode form of an ASCII `name`; nil when one of its labels stands for no valid one.
  static func unicode(_ name: [UInt8]) -> [UInt8]? {
    guard let processor, let nameLength = Int32(exactly: name.count) else { return nil }
    var room = name.count * 4 + 64
    while let capacity = Int32(exactly: room) {
      var output = [UInt8](repeating: 0, count: room)
      let length = name.withUnsafeBytes { name in
        output.withUnsafeMutableBytes { output in
          cicu_idna_to_unicode(
            processor.handle, name.baseAddress?.assumingMemoryBound(to: CChar.self), nameLength,
            output.baseAddress?.assumingMemoryBound(to: CChar.self), capacity)
        }
      }
      guard length >= 0 else { return nil }
      if length <= capacity { return Array(output.prefix(Int(length))) }
      room = Int(length)
    }
    return nil
  }

  /// True when a label, decoded, begins with `xn--` again. Revision 33 of UTS 46 forbids that (validity criterion 4);
  /// ICU 72 does not know the rule and reports such a label like any with hyphens in third and fourth place.
  ///
  /// The encoded form begins with the ASCII characters of the decoded one, so it must begin with `xn--xn--`; and with
  /// the hyphens in place only `x` and `n` can come before them.
  private func hidesPrefix(_ domain: [UInt8], from start: Int) -> Bool {
    domain[start...].split(separator: ASCII.dot).contains { label in
      label.starts(with: Self.doublePrefix.utf8)
        && label.withUnsafeBytes { bytes in
          cicu_idna_hides_hyphens(
            handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: bytes.count))
        }
    }
  }

  private static let doublePrefix = "xn--xn--"
}
