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
    } catch { return (units, lines, error) }
  }

  private let fixture: RunFixture
  private let inputs: [InputFile]

  init() throws {
    let fixture = try RunFixture()
    try fixture.log(["1", "2"], "a.ndjson")
    try fixture.scratch.write([], to: "b.ndjson")
    try fixture.scratch.write("no frame\n", to: "c.ndjson.zst")
    try fixture.compressedLog(Array("3\n4\n".utf8), "d.ndjson.zst")
    // More bytes than one read returns follow the first frame, and they are not a frame.
    let frame = try fixture.scratch.bytes("d.ndjson.zst")
    try fixture.scratch.write(frame + [UInt8](repeating: 0x20, count: 3 << 20), to: "d.ndjson.zst")
    try fixture.scratch.write("5", to: "e.ndjson")
    inputs = ["a.ndjson", "b.ndjson", "c.ndjson.zst", "d.ndjson.zst", "e.ndjson"].map {
      InputFile(path: fixture.scratch($0), size: nil)
    }
    self.fixture = fixture
  }

  private func source(
    _ inputs: [InputFile], keepsGoing: Bool = true, marksEnds: Bool = false
  ) -> InputSource {
    InputSource(
      inputs, maxLine: 100, keepsGoing: keepsGoing, marksEnds: marksEnds, position: ReadPosition())
  }

  /// The end of an input follows its lines, also if the input is empty or damaged.
  @Test func endsAreTold() throws {
    let source = source(inputs, marksEnds: true)
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

  /// The number of lines that a flow on `cores` cores reads of `count` files of one short frame.
  private func readMany(
    _ count: Int, _ cores: Int, fault: @escaping @Sendable (System.Call) -> System.Fault?
  ) throws -> Int {
    let many = try (0..<count).map { number in
      let path = try fixture.compressedLog(Array("1\n".utf8), "\(number).ndjson.zst")
      return InputFile(path: path, size: 1)
    }
    let cores = try CoreQueues(cores)
    let source = Exclusive(
      InputSource(
        many, maxLine: 100, keepsGoing: false, position: ReadPosition(), cores: cores,
        system: System(faults: fault)))
    let lines = Locked(0)
    let flow = Flow(
      units: 2, of: { WorkUnit(blockSize: 1 << 10, shards: 1) }, cores: cores,
      fill: source.part { $0.fill }, lanes: [{ _ in }],
      finish: { unit in
        let count = NewlineScan(unit.block.bytes).count
        lines.withLock { $0 += count }
      })
    try flow.run()
    return lines.withLock { $0 }
  }

  @Test func filesOpenAtATimeAreLimited() throws {
    let count = 3 * InputSource.mostOpenedAhead
    let open = Locked((now: 0, most: 0))
    let lines = try readMany(count, 100) { call in
      open.withLock { open in
        if call == .open { open.now += 1 }
        if call == .close { open.now -= 1 }
        open.most = max(open.most, open.now)
      }
      return nil
    }
    #expect(lines == count)
    #expect(open.withLock { $0.most } == InputSource.mostOpenedAhead + 1)
    #expect(open.withLock { $0.now } == 0)
  }

  @Test func aFileThatCannotBeOpenedAheadIsOpenedInItsTurn() throws {
    let open = Locked(0)
    // There may be three open files at a time.
    let lines = try readMany(10, 8) { call in
      open.withLock { open in
        if call == .close { open -= 1 }
        guard call == .open else { return nil }
        if open == 3 { return .error(EMFILE) }
        open += 1
        return nil
      }
    }
    #expect(lines == 10)
  }

  @Test func noInputs() { #expect(read(source([])).units.isEmpty) }

  @Test func aDamagedInputEndsIt() throws {
    for bad in [2, 3] {
      let found = read(source([inputs[0], inputs[bad], inputs[4]], keepsGoing: false))
      #expect(found.failure?.kind == .corrupt && found.failure?.path == inputs[bad].path)
      #expect(found.units.first == "0:1" && !found.units.contains("2:1"))
    }
  }

  @Test func keepingGoingLosesOnlyWhatCannotBeRead() throws {
    let missing = InputFile(path: fixture.scratch("nowhere"), size: nil)
    let source = source(inputs + [missing])
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
