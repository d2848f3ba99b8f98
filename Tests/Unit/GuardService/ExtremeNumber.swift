import GuardModel
import GuardService
import PolicyEngine

/// A number of the state file as a damaged one may have it, and as no daemon writes it.
enum ExtremeNumber: CaseIterable {
  case order
  case holder
  case serial
  case used
  case latest

  var records: StateRecords {
    var records = StateRecords()
    var clip = KeptClip()
    let place = SelectionPlace(uid: 1000, display: [], selection: .clipboard)
    switch self {
    case .order:
      clip.order = .max
      records.clips.selections[place] = KeptSelection(clip: clip)
    case .holder:
      clip.holder = .max
      records.clips.selections[place] = KeptSelection(clip: clip)
    case .serial: records.instances["token"] = KeptInstance(uid: 1000, app: "a", serial: .max, record: 0)
    case .used: records.clips.budgets[1000] = ClipBudget(minute: 1, used: .max)
    case .latest: records.latest = 1 << 50
    }
    return records
  }
}
