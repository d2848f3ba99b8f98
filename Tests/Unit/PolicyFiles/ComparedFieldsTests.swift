import GuardModel
import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing
import URLRules

/// What `diff` compares is held against the types: a field that is new has to get a key and a direction there, or to be
/// named among those that decide nothing. Until then it is compared under its own name.
@Suite struct ComparedFieldsTests {
  private static func fields(of value: Any) -> Set<String> {
    Set(Mirror(reflecting: value).children.compactMap(\.label))
  }

  @Test func everyFieldIsCompared() throws {
    let policy = try #require(load(GoodConfiguration.files).policy)
    let rule = Rule(id: "a", verdict: .internal, condition: .any([]))
    let program = Program()
    let types: [(String, Any, Set<String>)] = [
      ("Protection", Protection(name: "p"), ComparedFields.protection),
      ("ClipboardSettings", ClipboardSettings(), ComparedFields.clipboard),
      ("LocationSettings", LocationSettings(), ["allowed", "exceptions"]),
      ("App", App(name: "a"), ComparedFields.app), ("ViewerClass", ViewerClass(name: "c"), ComparedFields.viewerClass),
      ("PeerRule", PeerRule(), ComparedFields.peer),
      ("AppAccounts", AppAccounts(), ComparedFields.appAccounts),
      ("EnrollmentTimes", EnrollmentTimes(), ComparedFields.enrollment),
      ("WipeSettings", WipeSettings(), ComparedFields.wipe),
      // `places` and `domains` are made of the entries.
      ("AccountDirectory", AccountDirectory(), ["entries", "places", "domains"]),
      ("AccountEntry", AccountEntry(upn: "a", objectID: nil), ComparedFields.account),
      ("Browsers", Browsers(), ComparedFields.browsers),
      ("ManagedBrowser", ManagedBrowser(program: program), ComparedFields.managedBrowser),
      ("UnmanagedBrowser", UnmanagedBrowser(program: program), ComparedFields.unmanagedBrowser),
      ("Program", program, ComparedFields.program), ("Links", Links(), ["exempt", "managed"]),
      ("LinkList", LinkList(), ["rules", "programs"]), ("UserTexts", UserTexts(), ComparedFields.texts),
      ("AppConfigEntry", AppConfigEntry(name: "n", app: "a"), ComparedFields.appConfig),
      ("AppConfigDirectory", AppConfigDirectory(), ["entries", "scrubKeys"]),
      ("LanguageTexts", LanguageTexts(), ComparedFields.language), ("Rule", rule, ComparedFields.rule),
      ("LoadedPolicy", policy, ComparedFields.policy),
    ]
    for (name, value, known) in types {
      let fields = Self.fields(of: value)
      #expect(fields.subtracting(known).sorted() == [], "fields of \(name) that `diff` does not know")
      #expect(known.subtracting(fields).sorted() == [], "fields that \(name) has no more")
    }
  }
}
