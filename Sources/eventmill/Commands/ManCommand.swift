import Jobs
import Pipeline

/// `eventmill man`: prints or writes pages of the manual.
struct ManCommand: Request {
  /// The command whose page is printed; nil for the program's.
  private let command: Command?
  /// The directory that all pages are written to; empty if they are printed.
  private let directory: String

  init(options: CommandOptions) throws(Failure) {
    directory = options.run.publish.output
    let name = options.operands.joined(separator: " ")
    command = Command(rawValue: name)
    if !name.isEmpty, command == nil { throw RawArguments.unknownCommand(name) }
    if !name.isEmpty, !directory.isEmpty {
      throw Failure.commandLine(
        "--to writes the pages of all commands", "omit \(name), or --to")
    }
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    if directory.isEmpty {
      try console.write(ByteBuffer(text: ManPage.text(of: command)))
      return .done
    }
    let system = System.real
    try system.makeDirectories(directory, doing: "making the directory of the pages")
    let pages = [nil] + Command.allCases
    for page in pages {
      let text = ManPage.text(of: page)
      try WholeFile.write(
        ByteBuffer(text: text), to: "\(directory)/\(ManPage.name(of: page)).1",
        lines: text.utf8.count { $0 == UInt8(ascii: "\n") },
        replacing: { ManPage.mark.utf8.starts(with: $0.prefix(ManPage.mark.utf8.count)) })
    }
    guard console.settings.json else {
      console.note("\(pages.count) pages are in \(directory)")
      return .done
    }
    let json = JSONWriter.document { json in
      json.member("directory", directory)
      json.array("pages", of: pages.map { "\(ManPage.name(of: $0)).1" })
    }
    try console.write(json)
    return .done
  }
}
