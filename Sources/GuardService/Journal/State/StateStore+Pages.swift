internal import PolicyEngine

/// What viewers show, in the state file. Like clips it does not survive a boot: no program does.
extension StateStore {
  private static let columns = "instance, viewer, uid, app, shown, opened, document"

  func write(_ pages: KeptPages) throws(SQLiteError) {
    guard !pages.isEmpty else { return }
    var save = try database.prepare("INSERT OR REPLACE INTO page (\(Self.columns)) VALUES (?,?,?,?,?,?,?)")
    var drop = try database.prepare("DELETE FROM page WHERE instance = ? AND viewer = ?")
    for (place, page) in pages.pages {
      guard let page else {
        drop.bind(place.instance)
        drop.bind(place.viewer)
        try drop.run()
        continue
      }
      save.bind(page, in: place)
      try save.run()
    }
    var dropAll = try database.prepare("DELETE FROM page WHERE instance = ?")
    for instance in pages.ended {
      dropAll.bind(instance)
      try dropAll.run()
    }
  }

  func readPages(_ records: inout StateRecords) throws(SQLiteError) {
    let rows = try database.prepare("SELECT \(Self.columns) FROM page")
    while try rows.step() {
      guard let instance = rows.count(0), let viewer = rows.bytes(1), let uid = rows.uid(2), let app = rows.text(3),
        let shown = rows.flag(4), let opened = rows.flag(5), rows.isNull(6) || rows.bytes(6) != nil
      else { throw .senseless("page") }
      let place = PagePlace(uid: uid, app: app, instance: instance, viewer: viewer)
      records.clips.pages.pages[place] = KeptPage(
        showsExternal: shown, opensExternal: opened, document: rows.isNull(6) ? nil : rows.bytes(6))
    }
  }
}

extension SQLiteStatement {
  fileprivate mutating func bind(_ page: KeptPage, in place: PagePlace) {
    bind(place.instance)
    bind(place.viewer)
    bind(Int64(place.uid))
    bind(place.app)
    bind(page.showsExternal)
    bind(page.opensExternal)
    bind(page.document)
  }
}
