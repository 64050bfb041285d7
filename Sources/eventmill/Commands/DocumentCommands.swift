import Jobs
import Pipeline

/// `eventmill man`: prints or writes pages of the manual.
struct ManCommand: Request {
  /// The command that the page is about; empty for the program.
  private let name: String
  private let page: String
  /// The directory that all pages are written to; empty if they are printed.
  private let directory: String

  init(options: CommandOptions) throws(Failure) {
    directory = options.run.publish.output
    let words = options.operands.joined(separator: " ")
    let name = FormerNames.commands[words]?.rawValue ?? words
    guard let page = ManPage.all.first(where: { $0.name == ManPage.name(of: name) })
    else { throw RawArguments.unknownCommand(name) }
    (self.name, self.page) = (name, page.text)
    if !name.isEmpty, !directory.isEmpty {
      throw Failure.commandLine("--out writes the pages of all commands", "omit \(name), or --out")
    }
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    if directory.isEmpty {
      return try console.show(CommandResult(document: "page", page, of: name))
    }
    let system = System.real
    try system.makeDirectories(directory, doing: "making the directory of the pages")
    let pages = ManPage.all
    for page in pages {
      try WholeFile.write(
        ByteBuffer(text: page.text), to: "\(directory)/\(page.name).1",
        lines: page.text.utf8.count { $0 == UInt8(ascii: "\n") },
        replacing: { ManPage.mark.utf8.starts(with: $0.prefix(ManPage.mark.utf8.count)) })
    }
    guard console.settings.json else {
      console.note("\(pages.count) pages are in \(directory)")
      return .done
    }
    try console.print { json in
      json.member("directory", directory)
      json.array("pages", of: pages.map { "\($0.name).1" })
    }
    return .done
  }
}

/// `eventmill completions`: prints the completion script of a shell.
struct CompletionsCommand: Request {
  private let shell: String
  private let script: String

  init(options: CommandOptions) throws(Failure) {
    shell = options.operands[0]
    let scripts = [
      "bash": PackageResources.eventmill_bash, "zsh": PackageResources.eventmill_zsh,
      "fish": PackageResources.eventmill_fish,
    ]
    guard let script = scripts[shell] else {
      throw Failure.commandLine(
        "there are no completions for \"\(shell)\"", meant: shell, among: ["bash", "zsh", "fish"],
        else: "name one of bash, zsh, fish")
    }
    self.script = String(decoding: script, as: UTF8.self)
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try console.show(
      CommandResult {
        $0.members(["shell": shell, "script": script])
      } text: {
        [.text(script)]
      })
  }
}
