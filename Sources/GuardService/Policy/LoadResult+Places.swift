internal import GuardModel
internal import PolicyFiles

extension LoadResult {
  /// The same, unless somebody else may have written what was read: then it is an error, and neither policy nor settings
  /// are believed.
  func trusted(_ check: PlaceCheck = PlaceCheck(), roots: [String]) -> LoadResult {
    let lists = policy?.lists.map(\.path) ?? []
    let findings = check.configurationFindings(roots: roots, files: files + lists)
    guard !findings.isEmpty else { return self }
    var result = self
    result.policy = nil
    result.settings = nil
    for finding in findings {
      result.diagnostics.error(
        .notTrusted, at: SourceLocation(file: finding.path), "this place \(finding.problem)", hint: finding.remedy)
    }
    return result
  }
}
