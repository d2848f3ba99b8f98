internal import Glibc
internal import Platform
internal import PolicyFiles

/// The sockets that the daemon makes itself.
extension SocketPlace {
  /// Where they lie.
  var ownSockets: [String] {
    (isGuardAdopted ? [] : [guardSocket]) + (isAdminAdopted ? [] : [adminSocket]) + apps.map(path)
  }

  /// Each with what comes through it.
  func files() throws(StartError) -> [(Entrance, SocketFile)] {
    var files: [(Entrance, SocketFile)] = []
    for app in apps { files.append((.app(app.name), try file(of: app))) }
    if !isAdminAdopted {
      let group = getuid() == 0 ? Users.gid(ofGroup: adminGroup) : nil
      files.append((.adminSocket, SocketFile(path: adminSocket, mode: 0o660, group: group)))
    }
    // The last: who finds it finds the others.
    if !isGuardAdopted { files.append((.guardSocket, SocketFile(path: guardSocket, mode: 0o666))) }
    return files
  }

  private func path(of app: DaemonSettings.AppSocket) -> String { app.path ?? directory + "/\(app.name).sock" }

  /// Whoever gets to an app's socket is that app, so nobody does whom the configuration does not name.
  private func file(of app: DaemonSettings.AppSocket) throws(StartError) -> SocketFile {
    if app.open { return SocketFile(path: path(of: app), mode: 0o666) }
    guard let name = app.group else { return SocketFile(path: path(of: app), mode: 0o600) }
    guard let group = Users.gid(ofGroup: name) else { throw .unknownGroup(name, socket: app.name) }
    return SocketFile(path: path(of: app), mode: 0o660, group: group)
  }
}
