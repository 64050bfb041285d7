import Pipeline

/// What an output was made of and what it consists of (`manifest.json`, SPEC 9).
///
/// Nothing in it depends on time, threads or the output's own path.
struct Manifest {
  /// Version of the layout of an output.
  static let formatVersion = 2
  /// The versions whose state a run can go on from.
  static let readableVersions = 1...formatVersion

  let tool: ToolVersion
  let options: RunOptions
  let inputs: [InputOutcome]
  /// The states this run went on from, by their parts' hashes; empty for the first night.
  let previous: [UInt64]
  let files: [WrittenFile]

  /// Writes the file.
  ///
  /// - Throws: `io` when it cannot be written.
  func write(to staging: StagedDirectory) throws(Failure) {
    var json = JSONWriter(.pretty)
    json.object { json in
      json.member("eventmill_output", Manifest.formatVersion)
      json.object("tool") { json in
        json.member("version", tool.version)
        json.member("zstd", tool.zstd)
      }
      json.object("options") { json in options.write(to: &json) }
      if !previous.isEmpty {
        json.array("previous_state") { json in
          for hash in previous { json.item(XXH64.text(hash)) }
        }
      }
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
      json.array("outputs") { json in
        for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
          json.object { json in
            json.member("path", file.path)
            json.member("bytes", file.bytes)
            json.member("lines", file.lines)
            json.member("xxh64", XXH64.text(file.xxh64))
          }
        }
      }
    }
    json.endLine()
    _ = try staging.folder.write(json.bytes, to: RunFiles.manifest, lines: 1)
  }
}
