/// The tables of the state file.
enum StateSchema {
  /// "wvgs" in ASCII: how a file of ours is told from any other of SQLite.
  static let applicationID: Int64 = 0x7776_6773
  /// A file of a later version counts as foreign; those of earlier ones are taken over.
  static let version = Int64(1 + additions.count)

  /// The additions of each version to the one before, from the second on.
  private static let additions = [exceptionTable, pageTable, proposalTable, accountTables]

  static let clipColumns = """
    owner, names, app, holder, shared, length, epoch, number, echo, position, lost, doubted, formats, since
    """
  static let clipColumnCount = 14

  /// Those of the first version.
  private static let clip = """
    owner INTEGER NOT NULL, names BLOB, app TEXT, holder INTEGER, shared INTEGER NOT NULL, length INTEGER, \
    epoch INTEGER, number INTEGER, echo INTEGER NOT NULL, position INTEGER NOT NULL
    """

  private static let laterClipColumns = [
    "lost INTEGER NOT NULL DEFAULT 0", "doubted INTEGER NOT NULL DEFAULT 0", "formats INTEGER NOT NULL DEFAULT 0",
    "since INTEGER NOT NULL DEFAULT 0",
  ]

  private static let proposalTable =
    ["selection", "issued"].flatMap { table in
      laterClipColumns.map { "ALTER TABLE \(table) ADD COLUMN \($0);" }
    }.joined() + """
      CREATE TABLE proposal (uid INTEGER NOT NULL, display BLOB NOT NULL, selection INTEGER NOT NULL, \
      place INTEGER NOT NULL, madeEpoch INTEGER NOT NULL, madeNumber INTEGER NOT NULL, time INTEGER NOT NULL, \
      echoes INTEGER NOT NULL, \(clip), \(laterClipColumns.joined(separator: ", ")), \
      PRIMARY KEY (uid, display, selection, place)) STRICT, WITHOUT ROWID;
      """

  private static let exceptionTable = """
    CREATE TABLE exception (id TEXT PRIMARY KEY, host TEXT NOT NULL, below INTEGER NOT NULL, app TEXT, account TEXT, \
    subjects INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, uid INTEGER NOT NULL, user TEXT, \
    cause TEXT NOT NULL, ended INTEGER, remover INTEGER, removerUser TEXT) STRICT, WITHOUT ROWID;
    """

  private static let pageTable = """
    CREATE TABLE page (instance INTEGER NOT NULL, viewer BLOB NOT NULL, uid INTEGER NOT NULL, app TEXT NOT NULL, \
    shown INTEGER NOT NULL, opened INTEGER NOT NULL, document BLOB, PRIMARY KEY (instance, viewer)) STRICT, WITHOUT ROWID;
    """

  private static let accountTables = """
    CREATE TABLE account (uid INTEGER NOT NULL, app TEXT NOT NULL, account TEXT NOT NULL, status INTEGER NOT NULL, \
    byApp INTEGER NOT NULL, registered INTEGER NOT NULL, enrolled INTEGER, checkedIn INTEGER NOT NULL, \
    tried INTEGER NOT NULL, PRIMARY KEY (uid, app, account)) STRICT, WITHOUT ROWID;
    CREATE TABLE signIn (uid INTEGER NOT NULL, source TEXT NOT NULL, place INTEGER NOT NULL, upn TEXT, objectId TEXT, \
    time INTEGER NOT NULL, PRIMARY KEY (uid, source, place)) STRICT, WITHOUT ROWID;
    CREATE TABLE wipe (id TEXT PRIMARY KEY, uid INTEGER NOT NULL, app TEXT, names BLOB NOT NULL, cause TEXT NOT NULL, \
    reason TEXT, phase INTEGER NOT NULL, began INTEGER NOT NULL, ran INTEGER NOT NULL, delay INTEGER NOT NULL, \
    needed INTEGER NOT NULL, approvals TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE wipePart (id TEXT NOT NULL, app TEXT NOT NULL, step INTEGER NOT NULL, deadline INTEGER NOT NULL, \
    ordered INTEGER NOT NULL, givenUp INTEGER NOT NULL, removed INTEGER NOT NULL, kept INTEGER NOT NULL, \
    PRIMARY KEY (id, app)) STRICT, WITHOUT ROWID;
    CREATE TABLE wiped (instance INTEGER NOT NULL, names BLOB NOT NULL, PRIMARY KEY (instance, names)) STRICT, \
    WITHOUT ROWID;
    CREATE TABLE wipeClock (id INTEGER PRIMARY KEY CHECK (id = 1), machine TEXT NOT NULL, offline INTEGER NOT NULL, \
    sinceDestruction INTEGER NOT NULL, time INTEGER NOT NULL) STRICT;
    CREATE TABLE condition (key TEXT PRIMARY KEY, failing INTEGER, unknown INTEGER, word INTEGER) STRICT, WITHOUT ROWID;
    CREATE TABLE remediation (place INTEGER PRIMARY KEY, request TEXT NOT NULL, uid INTEGER NOT NULL, app TEXT NOT NULL, \
    account TEXT NOT NULL, silent INTEGER NOT NULL, asked INTEGER NOT NULL) STRICT;
    """

  /// The statements that turn a file of an earlier version into this version.
  static func additions(to version: Int64) -> String {
    additions.dropFirst(Int(version) - 1).joined() + settingVersion
  }

  private static let settingVersion = "PRAGMA user_version = \(version);"

  static let creation = """
    CREATE TABLE service (id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL, latest INTEGER NOT NULL) STRICT;
    CREATE TABLE selection (uid INTEGER NOT NULL, display BLOB NOT NULL, selection INTEGER NOT NULL, \(clip), \
    PRIMARY KEY (uid, display, selection)) STRICT, WITHOUT ROWID;
    CREATE TABLE issued (uid INTEGER NOT NULL, slot INTEGER NOT NULL, \(clip), PRIMARY KEY (uid, slot)) STRICT, \
    WITHOUT ROWID;
    CREATE TABLE budget (uid INTEGER PRIMARY KEY, minute INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
    CREATE TABLE instance (token TEXT PRIMARY KEY, uid INTEGER NOT NULL, app TEXT NOT NULL, serial INTEGER NOT NULL, \
    identity INTEGER NOT NULL, windows BLOB NOT NULL, record INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    PRAGMA application_id = \(applicationID);
    \(additions(to: 1))
    """

  /// Short texts by name, and the owners of files without labels. Files of earlier versions get the tables as well, and
  /// those versions pass them over.
  static let marks =
    """
    CREATE TABLE IF NOT EXISTS mark (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS file (uid INTEGER NOT NULL, file BLOB NOT NULL, account BLOB NOT NULL, \
    PRIMARY KEY (uid, file)) STRICT, WITHOUT ROWID;
    DELETE FROM mark WHERE value = ''
    """

  /// Takes the machine's clock for right, against all records: it deletes every kept time, and the times of clips and
  /// programs. It deletes exceptions that were granted later than now.
  static let repairingClock = """
    \(forgetting); UPDATE service SET latest = 0; DELETE FROM mark WHERE name = 'clock'
    """

  /// The changes that a new boot makes to the file, within a transaction.
  static let forgetting = """
    DELETE FROM selection; DELETE FROM proposal; DELETE FROM issued; DELETE FROM budget; DELETE FROM instance; DELETE FROM page; \
    DELETE FROM wiped
    """

  /// A further loss with a file that is not believed: an exception that was taken back could still stand there.
  static let forgettingExceptions = "DELETE FROM exception"

  /// A file that is not believed may lack that an app ended its access, or that a person signed out. Accounts whose
  /// access has ended stay ended; the others register again.
  static let forgettingAccounts = """
    DELETE FROM account WHERE status != 2; DELETE FROM signIn; DELETE FROM condition; DELETE FROM remediation
    """

  /// Says of which boot the clips and the programs are; the latest time stays.
  static let boot = """
    INSERT INTO service (id, boot, latest) VALUES (1, ?, 0) ON CONFLICT (id) DO UPDATE SET boot = excluded.boot
    """

  /// How a connection works, before anything is read.
  ///
  /// `synchronous = NORMAL`: a commit is with the kernel, which is enough for a killed daemon; it reaches the disk at
  /// the next checkpoint. A power cut loses only changes of clipboards that the same cut emptied; the clock's mark
  /// lasts longer, and a checkpoint follows every minute in which it moved. Exceptions, steps of accounts and owners of files
  /// get a checkpoint at once. The file itself stays whole.
  ///
  /// Where answers wait for the disk, `synced`, they wait for this file too.
  static func settings(synced: Bool) -> String {
    settings + "PRAGMA synchronous = \(synced ? "FULL" : "NORMAL");"
  }

  private static let settings = """
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 33554432;
    PRAGMA cache_size = -512;
    PRAGMA temp_store = MEMORY;
    PRAGMA mmap_size = 0;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    """
}
