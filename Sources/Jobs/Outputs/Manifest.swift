import Pipeline

/// What an output was made of and what it consists of (`manifest.json`, docs/file-formats.md).
///
/// Nothing in it depends on time, threads or the output's own path.
struct Manifest {
  /// Version of the layout of an output, and the only one that is read.
  static let formatVersion = 5

  let tool: ToolVersion
  let options: RunOptions
  let inputs: [InputOutcome]
  /// Which inputs earlier nights have read, and which were passed over for that.
  let selection: InputSelection
  /// The states this run went on from, by their parts' hashes; empty for the first night.
  let previous: [UInt64]
  let files: [WrittenFile]

  /// Writes the file.
  ///
  /// - Throws: `io` when it cannot be written, or could not be read again.
  func write(to staging: StagedDirectory) throws(Failure) {
    let json = try Manifest.document(
      kind: "eventmill_output", version: Manifest.formatVersion, tool: tool, inputs: inputs,
      selection: selection, files: files
    ) { json in
      json.object("options") { json in options.write(to: &json) }
      Manifest.write(previous: previous, to: &json)
    }
    _ = try staging.folder.write(json.view, to: RunFiles.manifest, lines: 1)
  }

  /// Appends `previous_state`, if there is one.
  static func write(previous: [UInt64], to json: inout JSONWriter) {
    guard !previous.isEmpty else { return }
    json.array("previous_state") { json in
      for hash in previous { json.item(XXH64.text(hash)) }
    }
  }

  /// Writes the files of an output, and what `details` writes of each.
  static func write(
    outputs files: [WrittenFile], to json: inout JSONWriter,
    details: (WrittenFile, inout JSONWriter) -> Void = { _, _ in }
  ) {
    json.array("outputs") { json in
      for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
        json.object { json in
          json.member("path", file.path)
          json.member("bytes", file.bytes)
          json.member("lines", file.lines)
          json.member("xxh64", XXH64.text(file.xxh64))
          details(file, &json)
        }
      }
    }
  }

  /// A manifest: its kind and version, the program, what `members` writes, inputs and outputs; of
  /// an output also what `details` writes.
  static func document(
    kind: StaticString, version: Int, tool: ToolVersion, inputs: [InputOutcome],
    selection: InputSelection? = nil, files: [WrittenFile],
    details: (WrittenFile, inout JSONWriter) -> Void = { _, _ in },
    _ members: (inout JSONWriter) -> Void
  ) throws(Failure) -> ByteBuffer {
    var json = JSONWriter(.pretty)
    json.object { json in
      json.member(kind, version)
      tool.writeVersions(to: &json)
      members(&json)
      json.array("inputs") { json in
        for input in inputs {
          json.object { json in
            json.member("path", input.file.path)
            json.member("bytes", input.summary?.compressedBytes ?? 0)
            json.member("lines", input.summary?.lines ?? 0)
            json.member("xxh64", XXH64.text(input.summary?.hash ?? 0))
            if input.lost != nil { json.member("lost", true) }
          }
        }
      }
      selection?.write(to: &json)
      write(outputs: files, to: &json, details: details)
    }
    json.endLine()
    guard json.bytes.count <= JSONDocument.longest else {
      throw Failure(
        .io, doing: "writing", path: RunFiles.manifest,
        why: "its inputs make a list of \(json.bytes.count) bytes, and no run reads more than "
          + "\(JSONDocument.longest)",
        advice: "put the logs into fewer files")
    }
    return json.finish()
  }
}

extension InputSelection {
  /// Writes what was passed over, and what earlier nights have read, as members of the object that
  /// is open.
  fileprivate func write(to json: inout JSONWriter) {
    if !skipped.isEmpty {
      json.array("skipped") { json in
        for input in skipped { json.object { json in input.write(to: &json) } }
      }
    }
    if !earlier.inputs.isEmpty {
      json.array("earlier_inputs") { json in
        for input in earlier.inputs {
          json.object { json in
            json.member("path", input.path)
            json.member("bytes", input.facts.bytes)
            json.member("lines", input.lines)
            json.member("xxh64", XXH64.text(input.facts.xxh64))
          }
        }
      }
    }
  }
}
