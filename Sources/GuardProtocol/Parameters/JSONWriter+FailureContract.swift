package import GuardModel
package import JSONText

extension JSONWriter {
  /// The failure contract as an object: in the reply to `Attach`, and alone as `contract.json` beside the socket.
  ///
  ///     {"startMs":2000,"answerMs":500,"navigation":"closed","clipboard":"closed","other":"closed"}
  package mutating func value(_ contract: FailureContract) {
    beginObject()
    member("startMs", contract.startMilliseconds)
    member("answerMs", contract.answerMilliseconds)
    member("navigation", contract.navigation.rawValue)
    member("clipboard", contract.clipboard.rawValue)
    member("other", contract.other.rawValue)
    endObject()
  }
}
