@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Logs and outputs of runs in a directory of their own.
final class RunFixture {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Writes a log of these lines, each ended by a line feed.
  @discardableResult
  func log(_ lines: [String], _ name: String) throws -> String {
    try scratch.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  @discardableResult
  func compressedLog(_ bytes: [UInt8], _ name: String) throws -> String {
    var plain = ByteBuffer(capacity: bytes.count)
    plain.append(contentsOf: bytes)
    var frame = ByteBuffer()
    try ZstdEncoder(level: 1).compress(plain.view, into: &frame)
    return try scratch.write(frame.view.array, to: name)
  }

  /// The options of a run over `inputs` that publishes `output` and continues from `previous`; all
  /// are names in the directory.
  func options(_ inputs: [String], to output: String, after previous: String? = nil) -> RunOptions {
    var options = RunOptions()
    options.read.inputs = inputs.map { scratch($0) }
    options.merge.previous = previous.map { scratch($0) }
    options.publish.output = scratch(output)
    options.publish.level = 1
    // Requests without a time end with the data.
    options.merge.erasedAt = Rules.earliestTime
    return options
  }

  /// Runs, publishes, and verifies what was published.
  @discardableResult
  func run(
    _ options: RunOptions, control: JobControl = JobControl()
  ) throws(Failure) -> RunReport {
    let summary = try NightlyRun(options, control: control).run()
    let problems = try problems(of: options.publish.output)
    #expect(problems.isEmpty, "\(options.publish.output)")
    return summary
  }

  /// The problems of the output in the directory `path`, as codes.
  func problems(of path: String, absent: String? = nil) throws(Failure) -> [String] {
    try VerifyJob(path, absent: absent, jobs: 2, control: JobControl()).run().problems.map(\.coded)
  }

  /// Runs over `inputs` with the options that `change` sets, and publishes `output`.
  @discardableResult
  func run(
    _ inputs: [String], to output: String, after previous: String? = nil,
    _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> RunReport {
    var options = options(inputs, to: output, after: previous)
    change(&options)
    return try run(options)
  }

  func failure(
    _ inputs: [String], to output: String, after previous: String? = nil,
    control: JobControl = JobControl(), _ change: (inout RunOptions) -> Void = { _ in }
  ) -> Failure? {
    var options = options(inputs, to: output, after: previous)
    change(&options)
    return Failure.of(try run(options, control: control))
  }

  /// Erases what `requests`, a file, ask for from `source`, publishes `output`, and verifies it.
  @discardableResult
  func erase(
    _ requests: String = "requests.ndjson", from source: String, to output: String,
    control: JobControl = JobControl(), _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> EraseSummary {
    var options = options([], to: output)
    options.merge.erasureRequests = scratch(requests)
    change(&options)
    let summary = try EraseJob(scratch(source), options: options, control: control).run()
    #expect(try problems(of: options.publish.output) == [], "\(output)")
    return summary
  }

  /// Reprocesses the rejects in `inputs`, publishes `output`, and verifies it.
  @discardableResult
  func redrive(
    _ inputs: [String], to output: String, _ change: (inout RunOptions) -> Void = { _ in }
  ) throws(Failure) -> RedriveReport {
    var options = options(inputs, to: output)
    change(&options)
    let summary = try RedriveJob(options.read, options.publish, control: JobControl()).run()
    #expect(try problems(of: options.publish.output) == [], "\(output)")
    return summary
  }

  /// Everything in an output, by path; compressed files stay compressed.
  func bytes(of output: String) throws -> [String: [UInt8]] {
    var all: [String: [UInt8]] = [:]
    for path in try scratch.files(below: output) {
      all[path] = try scratch.bytes("\(output)/\(path)")
    }
    return all
  }

  /// The files of an output or archive that are the same each time. What a partition keeps of a
  /// report is as a report is.
  func repeatable(_ output: String) throws -> [String: [UInt8]] {
    try bytes(of: output).filter {
      !RunFiles.reports.contains($0.key) && !$0.key.hasSuffix(RunFiles.nightBefore)
    }
  }

  /// What an output says of everything that was read so far, whatever nights it was read in: no
  /// reports, rejects or changes.
  func snapshot(of output: String) throws -> [String: [UInt8]] {
    try bytes(of: output).filter { path, _ in
      !(RunFiles.reports + [RunFiles.manifest, RunFiles.rejects]).contains(path)
        && !path.hasPrefix("\(RunFiles.changes)/")
    }
  }

  func text(_ path: String) throws -> [UInt8] {
    let reader = try BlockReader(
      InputFile(path: scratch(path), size: nil), index: 0, maxLine: 1 << 24)
    defer { reader.close() }
    let block = Block(capacity: BlockReader.defaultBlockSize)
    var text: [UInt8] = []
    while try reader.fill(block) { text += block.bytes.array }
    return text
  }

  func textLines(_ path: String) throws -> [String] {
    try text(path).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  func lines(_ path: String) throws -> [NaiveJSON] {
    try text(path).split(separator: 0x0A).map { try NaiveJSON(parsing: Array($0), maxDepth: 200) }
  }

  /// The lines of all parts in a folder of an output, in the order of the parts.
  func lines(of folder: String, in output: String) throws -> [NaiveJSON] {
    var all: [NaiveJSON] = []
    for path in try scratch.files(below: output) where path.hasPrefix(folder + "/") {
      all += try lines("\(output)/\(path)")
    }
    return all
  }

  func json(_ path: String) throws -> NaiveJSON { try NaiveJSON(parsing: scratch.bytes(path)) }

  /// Checks that nothing was published, and that the directory contains only `names`.
  func expectOnly(_ names: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try scratch.names() == names.sorted(), sourceLocation: sourceLocation)
  }
}

extension EraseJob {
  init(_ source: String, options: RunOptions, control: JobControl) {
    self.init([(source, options.publish.output)], options: options, control: control)
  }
}

extension EraseSummary {
  var single: ErasedOutput { outputs[0] }
}
