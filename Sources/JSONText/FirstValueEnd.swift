/// The end of the first JSON value in the bytes, if something that is not white space follows it.
///
///     firstValueEnd(in: "{} x")     // 2
///     firstValueEnd(in: "{} ")      // nil
///
/// Used only to tell ``JSONError/trailingContent`` from ``JSONError/syntax``: it counts brackets and does not check the
/// text between them, so the caller parses the bytes before the end.
func firstValueEnd(in bytes: Span<UInt8>) -> Int? {
  var depth = 0
  var index = 0
  skipSpace(in: bytes, from: &index)
  let start = index
  while index < bytes.count {
    let byte = bytes[index]
    if depth == 0, index > start, endsScalar(byte) { break }
    index += 1
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    case UInt8(ascii: "\""): skipString(in: bytes, from: &index)
    default: continue
    }
    if depth <= 0 { break }
  }
  let end = index
  skipSpace(in: bytes, from: &index)
  return index < bytes.count ? end : nil
}

private func skipSpace(in bytes: Span<UInt8>, from index: inout Int) {
  while index < bytes.count, isSpace(bytes[index]) { index += 1 }
}

private func skipString(in bytes: Span<UInt8>, from index: inout Int) {
  while index < bytes.count {
    let byte = bytes[index]
    index += byte == UInt8(ascii: "\\") ? 2 : 1
    if byte == UInt8(ascii: "\"") { break }
  }
  index = min(index, bytes.count)
}

private func isSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

private func endsScalar(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "}"), UInt8(ascii: "]"): true
  case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"): true
  default: isSpace(byte)
  }
}
