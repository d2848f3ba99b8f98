internal import JSONText
internal import PolicyTools

/// The rows of `status` on where the policy comes from, and what can be gone back to.
enum PolicyStatusRows {
  static func rows(_ status: JSONTree) -> [[String]] {
    var rows: [[String]] = []
    switch status["source"]?.string {
    case "lastGood": rows.append(["source", "the last good policy, since the configuration on disk cannot be loaded"])
    case "rolledBack": rows.append(["source", "rolled back; the one on disk waits for `webviewguard reload`"])
    case "disk": rows.append(["source", "the configuration on disk"])
    default: break
    }
    if let load = status["lastLoad"] {
      let result = load["succeeded"]?.bool == true ? "succeeded" : "failed"
      rows.append(["last load", "\(result) \(JSONTree.time(load["time"]))"])
    }
    for policy in status["kept"]?.array ?? [] {
      // As much of the digest as `rollback --to` needs, and more.
      let digest = (policy["digest"]?.string ?? "unknown").prefix(16)
      rows.append(["kept", "\(digest), in force \(JSONTree.time(policy["since"]))"])
    }
    if let error = status["keepError"]?.string { rows += TextTable.wrapped("keep error", error) }
    return rows
  }
}
