import Pipeline

/// Compares what lies in an output with what its manifest lists.
struct OutputListing {
  /// Files that the manifest does not list: itself, and what is different every time.
  private static let unlisted: Set<String> = [RunFiles.manifest, RunFiles.report, "report.html"]

  let output: String
  let manifest: ManifestFile

  /// How many parts profiles and state have; nil when the manifest does not say it, or says more than
  /// it lists files.
  var partitions: Int? {
    let number = manifest.options.first { $0.name == "partitions" }?.value.int
    return number.flatMap { 1...max(1, manifest.files.count) ~= $0 ? $0 : nil }
  }

  /// The files that an output of so many parts has, the unlisted ones aside. In its first version the
  /// totals stood among the keys of the state, and in the second there was no index.
  static func files(partitions: Int, version: Int) -> [String] {
    [RunFiles.countsCSV, RunFiles.countsJSON, RunFiles.rejects]
      + (version < Manifest.totalsVersion ? [] : [RunFiles.totals])
      + (version < Manifest.indexVersion
        ? [] : (0..<partitions).map { RunFiles.index($0, of: partitions) })
      + [RunFiles.profiles, RunFiles.state].flatMap { folder in
        (0..<partitions).map { RunFiles.part($0, of: partitions, in: folder) }
      }
  }

  /// Compares, and returns the listed files that are there, by path.
  func check(_ problems: inout ProblemList) -> [String: WrittenFile] {
    guard let partitions else {
      problems.add(
        RunFiles.manifest,
        "it does not say how many partitions there are, or not as many as it lists")
      return [:]
    }
    let expected = Set(OutputListing.files(partitions: partitions, version: manifest.version ?? 0))
    var listed: [String: WrittenFile] = [:]
    for file in manifest.files {
      if !expected.contains(file.path) {
        problems.add(RunFiles.manifest, "it lists \(file.path), which no output has")
      } else if listed.updateValue(file, forKey: file.path) != nil {
        problems.add(RunFiles.manifest, "it lists \(file.path) twice")
      }
    }
    for path in expected.sorted() where listed[path] == nil {
      problems.add(RunFiles.manifest, "it does not list \(path)")
    }
    checkFolder("", listed: listed, &problems)
    return listed.filter { isFile($0.key, &problems) }
  }

  /// Looks for files that are not listed. Folders that hold nothing of the output are not entered.
  private func checkFolder(
    _ folder: String, listed: [String: WrittenFile], _ problems: inout ProblemList
  ) {
    let names: [String]
    do throws(Failure) {
      names = try System.real.names(in: "\(output)/\(folder)", doing: FrameWalk.doing)
    } catch {
      return problems.add(folder.isEmpty ? "." : folder, error.why)
    }
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      let isFolder = folder.isEmpty && [RunFiles.profiles, RunFiles.state].contains(name)
      if isFolder {
        checkFolder(path, listed: listed, &problems)
      } else if listed[path] == nil, !OutputListing.unlisted.contains(path) {
        problems.add(path, "the manifest does not list it")
      }
    }
  }

  private func isFile(_ path: String, _ problems: inout ProblemList) -> Bool {
    do throws(Failure) {
      let status = try System.real.status(of: "\(output)/\(path)", doing: FrameWalk.doing)
      if status.kind == .regular { return true }
      problems.add(path, "it is no file")
    } catch {
      problems.add(path, "it is listed, but cannot be read: \(error.why)")
    }
    return false
  }
}
