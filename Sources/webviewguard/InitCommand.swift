internal import ArgumentParser
internal import PolicyFiles
internal import PolicyTools

/// `init`: a starting configuration.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a configuration directory from a template.",
    discussion: """
      Templates are looked for in $WEBVIEWGUARD_TEMPLATES, then in /usr/share/webviewguard/templates, then in the \
      source tree that this program was built in. `init --list` names them.
      """)

  @Flag(help: "Name the templates, each with a line of what it is for.")
  var list = false

  @Argument(help: "The template.")
  var template: String?

  @Argument(help: "The directory to make; it must be empty when it exists.", completion: .directory)
  var directory: String?

  func validate() throws {
    if list {
      guard template == nil else { throw ValidationError("--list takes no template") }
    } else if template == nil || directory == nil {
      throw ValidationError("name a template and a directory, or say --list")
    }
  }

  func run() throws {
    let output = Output()
    let library = try TemplateLibrary.find()
    if list {
      for template in library.templates { try output.line("\(output.shown(template.name))\t\(template.summary)") }
    } else if let template, let directory {
      try make(directory, from: template, library)
      try output.line("made `\(output.shown(directory))` from `\(output.shown(template))`")
    }
    try output.flush()
  }

  private func make(_ directory: String, from name: String, _ library: TemplateLibrary) throws(CommandFailure) {
    guard let template = library.templates.first(where: { $0.name == name }) else {
      let names = library.templates.map(\.name).joined(separator: ", ")
      throw CommandFailure("there is no template `\(name.escapedForDisplay)`; there are \(names)")
    }
    try FileTree.requireFree(directory)
    try FileTree.copy(template.path, to: directory, entries: template.entries)
  }
}
