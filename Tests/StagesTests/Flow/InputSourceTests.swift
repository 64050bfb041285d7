import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct InputSourceTests {
  /// What a source delivered: `INPUT:FIRST LINE` per unit, and why it ended.
  private func read(_ source: InputSource) -> (units: [String], lines: Int, failure: Failure?) {
    let unit = WorkUnit(blockSize: 1 << 10, shards: 1)
    var units: [String] = []
    var lines = 0
    do {
      while try source.fill(unit) {
        units.append("\(unit.block.input):\(unit.block.firstLine)")
        lines +=
          unit.block.bytes.array.split(separator: 0x0A, omittingEmptySubsequences: false).count - 1
      }
      #expect(try !source.fill(unit), "the end stays the end")
      return (units, lines, nil)
    } catch {
      return (units, lines, error)
    }
  }

  /// The number of lines that a source delivers with `cores` cores, and why it ended. Read in a
  /// flow, on its cores.
  private func read(
    _ cores: Int, _ source: (CoreQueues) -> sending InputSource
  ) throws -> (lines: Int, failure: Failure?) {
    let cores = try CoreQueues(cores)
    let source = Exclusive(source(cores))
    let lines = Locked(0)
    let flow = try Flow(
      units: 2, of: { WorkUnit(blockSize: 1 << 10, shards: 1) }, cores: cores,
      fill: source.part { $0.fill },
      lanes: [
        { unit in
          let count = NewlineScan(unit.block.bytes).count
          lines.withLock { $0 += count }
        }
      ], finish: { _ in })
    do throws(Failure) {
      try flow.run()
      return (lines.withLock { $0 }, nil)
    } catch {
      return (lines.withLock { $0 }, error)
    }
  }

  private func fixture() throws -> (RunFixture, [InputFile]) {
    let fixture = try RunFixture()
    try fixture.log(["1", "2"], "a.ndjson")
    try fixture.scratch.write([], to: "b.ndjson")
    try fixture.scratch.write("no frame\n", to: "c.ndjson.zst")
    try fixture.compressedLog(Array("3\n4\n".utf8), "d.ndjson.zst")
    // More bytes than one read returns follow the first frame, and they are not a frame.
    let frame = try fixture.scratch.bytes("d.ndjson.zst")
    try fixture.scratch.write(frame + [UInt8](repeating: 0x20, count: 3 << 20), to: "d.ndjson.zst")
    try fixture.scratch.write("5", to: "e.ndjson")
    let names = ["a.ndjson", "b.ndjson", "c.ndjson.zst", "d.ndjson.zst", "e.ndjson"]
    return (fixture, names.map { InputFile(path: fixture.scratch($0), size: nil) })
  }

  private func source(_ inputs: [InputFile], keepsGoing: Bool) -> InputSource {
    InputSource(inputs, maxLine: 100, keepsGoing: keepsGoing, position: ReadPosition())
  }

  @Test func oneInputAfterTheOther() throws {
    let (fixture, inputs) = try fixture()
    defer { withExtendedLifetime(fixture) {} }
    let source = source([inputs[0], inputs[1], inputs[4]], keepsGoing: false)
    let found = read(source)
    #expect(found.units == ["0:1", "2:1"] && found.lines == 3 && found.failure == nil)
    #expect(source.outcomes.map { $0.summary?.lines } == [2, 0, 1])
    #expect(source.outcomes.allSatisfy { $0.lost == nil })
  }

  /// The end of an input follows its lines, also if the input is empty or damaged.
  @Test func endsAreTold() throws {
    let (fixture, inputs) = try fixture()
    defer { withExtendedLifetime(fixture) {} }
    let source = InputSource(
      inputs, maxLine: 100, keepsGoing: true, marksEnds: true, position: ReadPosition())
    let unit = WorkUnit(blockSize: 1 << 10, shards: 1)
    var told: [String] = []
    while try source.fill(unit) {
      let end = unit.notes.ended.map { $0.lost == nil ? " whole" : " lost" } ?? ""
      told.append("\(unit.block.input):\(unit.block.bytes.count)\(end)")
      if let ended = unit.notes.ended { #expect(ended.file == inputs[unit.block.input]) }
    }
    #expect(
      told == [
        "0:4", "0:0 whole", "1:0 whole", "2:0 lost", "3:4", "3:0 lost", "4:2", "4:0 whole",
      ])
  }

  /// `count` files of one short frame each.
  private func manyInputs(_ count: Int) throws -> (RunFixture, [InputFile]) {
    let fixture = try RunFixture()
    let inputs = try (0..<count).map { number in
      let path = try fixture.compressedLog(Array("1\n".utf8), "\(number).ndjson.zst")
      return InputFile(path: path, size: 1)
    }
    return (fixture, inputs)
  }

  @Test func filesOpenAtATimeAreLimited() throws {
    let (fixture, inputs) = try manyInputs(3 * InputSource.mostOpenedAhead)
    defer { withExtendedLifetime(fixture) {} }
    let open = Locked((now: 0, most: 0))
    let system = System { call in
      open.withLock { open in
        if call == .open { open.now += 1 }
        if call == .close { open.now -= 1 }
        open.most = max(open.most, open.now)
      }
      return nil
    }
    let found = try read(100) { cores in
      InputSource(
        inputs, maxLine: 100, keepsGoing: false, position: ReadPosition(), cores: cores,
        system: system)
    }
    #expect(found.failure == nil && found.lines == inputs.count)
    #expect(open.withLock { $0.most } == InputSource.mostOpenedAhead + 1)
    #expect(open.withLock { $0.now } == 0)
  }

  @Test func aFileThatCannotBeOpenedAheadIsOpenedInItsTurn() throws {
    let (fixture, inputs) = try manyInputs(10)
    defer { withExtendedLifetime(fixture) {} }
    let open = Locked(0)
    // There may be three open files at a time.
    let system = System { call in
      open.withLock { open in
        if call == .close { open -= 1 }
        guard call == .open else { return nil }
        if open == 3 { return .error(EMFILE) }
        open += 1
        return nil
      }
    }
    let found = try read(8) { cores in
      InputSource(
        inputs, maxLine: 100, keepsGoing: false, position: ReadPosition(), cores: cores,
        system: system)
    }
    #expect(found.failure == nil && found.lines == 10)
  }

  @Test func noInputs() { #expect(read(source([], keepsGoing: true)).units.isEmpty) }

  @Test func aDamagedInputEndsIt() throws {
    let (fixture, inputs) = try fixture()
    defer { withExtendedLifetime(fixture) {} }
    for bad in [2, 3] {
      let found = read(source([inputs[0], inputs[bad], inputs[4]], keepsGoing: false))
      #expect(found.failure?.kind == .corrupt && found.failure?.path == inputs[bad].path)
      #expect(found.units.first == "0:1" && !found.units.contains("2:1"))
    }
  }

  @Test func keepingGoingLosesOnlyWhatCannotBeRead() throws {
    let (fixture, inputs) = try fixture()
    let missing = InputFile(path: fixture.scratch("nowhere"), size: nil)
    let source = source(inputs + [missing], keepsGoing: true)
    let found = read(source)
    #expect(found.failure == nil && found.lines == 5)
    #expect(found.units == ["0:1", "3:1", "4:1"])
    #expect(source.outcomes.map { $0.lost?.kind } == [nil, nil, .corrupt, .corrupt, nil, .io])
    #expect(source.outcomes.map { $0.summary?.lines } == [2, 0, nil, 2, 1, nil])
    // The hash of a damaged file is still that of the whole file.
    let bytes = try fixture.scratch.bytes("d.ndjson.zst")
    #expect(source.outcomes[3].summary?.hash == withByteView(of: bytes) { XXH64.hash($0) })
    #expect(source.outcomes[3].summary?.compressedBytes == bytes.count)
  }
}
