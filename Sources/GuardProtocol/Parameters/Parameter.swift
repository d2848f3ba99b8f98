package import JSONText

/// The type of a call's parameter.
package enum ParameterType: Sendable, Hashable {
  case bool
  case int
  case text
  case texts
  /// One of these words.
  case word([String])
  /// Some of these words.
  case words([String])
  /// An object with a table of its own.
  case object
  /// Some such objects.
  case objects
}

/// One parameter of a call: its name, its type, and the place of its value.
///
/// The tables of these are the decoder; there is no second list of names anywhere. A test compares them with the
/// interface files.
package struct Parameter<Subject>: Sendable {
  /// Keeps a value that is not null; false when its type or range is wrong.
  package typealias Store = @Sendable (_ value: JSONValue, _ subject: inout Subject) throws(ServiceError) -> Bool

  package let name: String
  package let type: ParameterType
  package let isRequired: Bool
  let store: Store

  init(_ name: String, _ type: ParameterType, isRequired: Bool = false, store: @escaping Store) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.store = store
  }
}

extension Parameter {
  package typealias Path<Value> = any WritableKeyPath<Subject, Value> & Sendable

  /// A required text that must not be empty: a name.
  static func name(_ name: String, _ path: Path<String>) -> Parameter {
    Parameter(name, .text, isRequired: true) { value, subject in
      guard let text = value.string, !text.isEmpty else { return false }
      subject[keyPath: path] = text
      return true
    }
  }

  /// A required text.
  static func text(_ name: String, _ path: Path<String>) -> Parameter {
    Parameter(name, .text, isRequired: true) { value, subject in
      guard let text = value.string else { return false }
      subject[keyPath: path] = text
      return true
    }
  }

  static func optionalText(_ name: String, _ path: Path<String?>) -> Parameter {
    Parameter(name, .text) { value, subject in
      guard let text = value.string else { return false }
      subject[keyPath: path] = text
      return true
    }
  }

  static func texts(
    _ name: String, isRequired: Bool = false, set: @escaping @Sendable (inout Subject, [String]) -> Void
  ) -> Parameter {
    Parameter(name, .texts, isRequired: isRequired) { value, subject in
      guard value.kind == .array else { return false }
      var texts: [String] = []
      var elements = value.elements
      while let element = elements.next() {
        guard let text = element.string else { return false }
        texts.append(text)
      }
      set(&subject, texts)
      return true
    }
  }

  static func texts(_ name: String, _ path: Path<[String]>) -> Parameter {
    texts(name) { $0[keyPath: path] = $1 }
  }

  static func words<Word: Sendable>(_ name: String, _ words: Words<Word>, _ path: Path<[Word]>) -> Parameter {
    Parameter(name, .words(words.names)) { value, subject in
      guard value.kind == .array else { return false }
      var found: [Word] = []
      var elements = value.elements
      while let element = elements.next() {
        guard let text = element.stringBytes, let word = words[text] else { return false }
        found.append(word)
      }
      subject[keyPath: path] = found
      return true
    }
  }

  static func optionalBool(_ name: String, _ path: Path<Bool?>) -> Parameter {
    Parameter(name, .bool) { value, subject in
      guard let truth = value.bool else { return false }
      subject[keyPath: path] = truth
      return true
    }
  }

  /// A required word.
  static func word<Word: Sendable>(_ name: String, _ words: Words<Word>, _ path: Path<Word>) -> Parameter {
    word(name, words, isRequired: true) { $0[keyPath: path] = $1 }
  }

  static func optionalWord<Word: Sendable>(_ name: String, _ words: Words<Word>, _ path: Path<Word?>) -> Parameter {
    word(name, words) { $0[keyPath: path] = $1 }
  }

  static func word<Word: Sendable>(
    _ name: String, _ words: Words<Word>, isRequired: Bool = false,
    set: @escaping @Sendable (inout Subject, Word) -> Void
  ) -> Parameter {
    Parameter(name, .word(words.names), isRequired: isRequired) { value, subject in
      guard let text = value.stringBytes, let word = words[text] else { return false }
      set(&subject, word)
      return true
    }
  }
}
