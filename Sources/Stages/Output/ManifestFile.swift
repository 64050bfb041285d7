import Pipeline

/// What a written manifest says (``Manifest``), as far as later runs need it.
struct ManifestFile {
  /// Longest manifest that is read, in bytes: one line per input and output.
  private static let longest = 256 << 20

  /// Version of the output's format; nil when it has none.
  private(set) var version: Int?
  /// The output's files.
  private(set) var files: [WrittenFile] = []

  /// Reads the manifest in the directory `output`.
  ///
  /// - Throws: `usage` when there is none; `corrupt` when it is damaged.
  init(_ output: String, doing: String) throws(Failure) {
    guard (try? System.status(of: output, doing: doing)) != nil else {
      throw Failure(
        .usage, doing: doing, path: output, why: "there is no such directory",
        advice: "name the directory that an earlier run published with --out")
    }
    let path = "\(output)/\(RunFiles.manifest)"
    guard (try? System.status(of: path, doing: doing)) != nil else {
      throw Failure(
        .usage, doing: doing, path: output,
        why: "it is no output of eventmill: there is no \(RunFiles.manifest) in it",
        advice: "name the directory that an earlier run published with --out")
    }
    let text = try ManifestFile.read(path)
    let tape = Tape(numbersNames: false)
    tape.bind(to: text.view)
    guard UTF8Check.isValid(text.view),
      case .value(let root) = Scanner.scan(line: 0..<text.count - 1, into: tape),
      tape[root].kind == .object
    else {
      throw Failure(
        .corrupt, doing: doing, path: path, why: "it is no JSON object",
        advice: "restore it from a copy, or begin without --previous")
    }
    readMembers(root, of: tape)
  }

  /// The whole file as one line: its line ends become spaces.
  private static func read(_ path: String) throws(Failure) -> ByteBuffer {
    let reader = try BlockReader(
      InputFile(path: path, size: nil), index: 0, maxLine: ManifestFile.longest)
    let block = Block(capacity: BlockReader.defaultBlockSize)
    var text = ByteBuffer(capacity: 1 << 16)
    while try reader.fill(block) {
      guard block.overlong == nil, text.count + block.bytes.count <= ManifestFile.longest else {
        throw Failure(
          .corrupt, doing: "reading the manifest", path: path, why: "it is too long")
      }
      text.append(block.bytes)
    }
    for index in 0..<text.count where text[index] == UInt8(ascii: "\n") {
      text[index] = UInt8(ascii: " ")
    }
    text.append(UInt8(ascii: "\n"))
    return text
  }

  private mutating func readMembers(_ root: Int, of tape: Tape) {
    var key = root + 1
    while key < Int(tape[root].next) {
      let name = tape.bytes(at: key)
      if name == "eventmill_output" { version = Int(tape.bytes(at: key + 1).text) }
      if name == "outputs", tape[key + 1].kind == .array { readFiles(key + 1, of: tape) }
      key = Int(tape[key].next)
    }
  }

  private mutating func readFiles(_ array: Int, of tape: Tape) {
    var item = array + 1
    while item < Int(tape[array].next) {
      if tape[item].kind == .object { files.append(ManifestFile.file(item, of: tape)) }
      item = Int(tape[item].next)
    }
  }

  private static func file(_ object: Int, of tape: Tape) -> WrittenFile {
    var path = ""
    var bytes = 0
    var lines = 0
    var hash: UInt64 = 0
    var key = object + 1
    while key < Int(tape[object].next) {
      let name = tape.bytes(at: key)
      let value = tape.bytes(at: key + 1).text
      if name == "path" { path = value }
      if name == "bytes" { bytes = Int(value) ?? -1 }
      if name == "lines" { lines = Int(value) ?? -1 }
      if name == "xxh64" { hash = UInt64(value, radix: 16) ?? 0 }
      key = Int(tape[key].next)
    }
    return WrittenFile(path: path, bytes: bytes, lines: lines, xxh64: hash)
  }
}
