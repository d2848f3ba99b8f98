/// What a record says of an answer, as it stands in the line: the same for every event that gets the same answer.
///
///     let written = encoder.written(report)                               // once
///     encoder.encode(entry, of: event, as: report, written, into: &queue) // for each event
package struct WrittenAnswer: Sendable {
  /// Whole members with commas between them: `"outcome":"allow",…,"digest":"…"`.
  let members: [UInt8]
}
