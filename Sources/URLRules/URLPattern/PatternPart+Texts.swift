internal import URLStandard

// Text that everything a part list takes begins with, ends in, or holds.
extension [PatternPart] {
  var mandatoryHead: [UInt8] {
    var head: [UInt8] = []
    for part in self {
      if part.isFixed {
        head += part.value
      } else {
        return part.modifier.isOptional ? head : head + (part.kind == .fixedText ? part.value : part.prefix)
      }
    }
    return head
  }

  var mandatoryTail: [UInt8] {
    var tail: [UInt8] = []
    for part in reversed() {
      if part.isFixed {
        tail = part.value + tail
      } else {
        return part.modifier.isOptional ? tail : (part.kind == .fixedText ? part.value : part.suffix) + tail
      }
    }
    return tail
  }

  var mandatoryTexts: [[UInt8]] {
    var texts: [[UInt8]] = []
    var current: [UInt8] = []
    for part in self {
      guard !part.isFixed else {
        current += part.value
        continue
      }
      guard !part.modifier.isOptional else {
        texts.append(current)
        current = []
        continue
      }
      texts.append(current + (part.kind == .fixedText ? part.value : part.prefix))
      current = part.kind == .fixedText ? part.value : part.suffix
    }
    return texts + [current]
  }

  /// Everything the parts take, when that is little; nil when it is not.
  package var finiteTexts: [[UInt8]]? {
    var texts: [[UInt8]] = [[]]
    for part in self {
      guard part.kind == .fixedText, !part.modifier.repeats, texts.count <= 8 else { return nil }
      let longer = texts.map { $0 + part.value }
      texts = part.modifier == .optional ? texts + longer : longer
    }
    return texts
  }
}

extension PatternPart {
  /// Fixed text that is there once.
  var isFixed: Bool { kind == .fixedText && modifier == .none }

  /// A group that takes whole labels with the dot behind them, or is not there.
  var isOptionalLabels: Bool {
    kind != .fixedText && modifier.isOptional && prefix.isEmpty && suffix.last == UInt8(ascii: ".")
  }
}
