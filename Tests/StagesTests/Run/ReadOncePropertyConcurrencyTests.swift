@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Random nights over logs that are copied, renamed, repacked and grown, against a model that
/// compares all their bytes.
@Suite struct ReadOncePropertyConcurrencyTests {
  /// What is read when each log is read once.
  private struct Model {
    private var known: [(path: String, bytes: [UInt8], isRead: Bool)] = []

    struct Night {
      /// The bytes that are read of each log.
      var read: [String: ArraySlice<UInt8>] = [:]
      var skipped: [String: String] = [:]
      var changed: [String] = []
    }

    private static func firstLine(_ bytes: [UInt8]) -> [UInt8] {
      Array(bytes.prefix { $0 != 0x0A })
    }

    /// The first byte to read after `old` in front of `new`.
    private static func start(_ old: [UInt8], in new: [UInt8]) -> Int {
      let lineStart = (old.lastIndex(of: 0x0A) ?? -1) + 1
      if lineStart == old.count { return old.count }
      guard (try? NaiveJSON(parsing: Array(old[lineStart...]))) != nil else { return lineStart }
      return new[old.count] == 0x0A ? old.count + 1 : old.count
    }

    func night(_ files: [String: [UInt8]]) -> Night {
      var night = Night()
      let paths = files.keys.sorted()
      let history = known.sorted { $0.path < $1.path }
      var grown: [String: Int] = [:]
      var whole: [String] = []
      for path in paths {
        let bytes = files[path] ?? []
        let same = history.filter { $0.bytes == bytes && !bytes.isEmpty }
        if !same.isEmpty {
          let read = same.filter(\.isRead).map(\.path)
          night.skipped[path] = read.contains(path) ? path : read[0]
          continue
        }
        let own = history.filter {
          $0.path == path && Self.firstLine($0.bytes) == Self.firstLine(bytes) && !$0.bytes.isEmpty
        }
        if let old = own.max(by: { $0.bytes.count < $1.bytes.count }),
          bytes.starts(with: old.bytes)
        {
          grown[path] = Self.start(old.bytes, in: bytes)
        } else if own.isEmpty {
          whole.append(path)
        } else {
          night.changed.append(path)
        }
      }
      for path in grown.keys.sorted() + whole {
        let bytes = files[path] ?? []
        if !bytes.isEmpty, let first = night.read.keys.first(where: { files[$0] == bytes }) {
          night.skipped[path] = first
        } else {
          night.read[path] = bytes[(grown[path] ?? 0)...]
        }
      }
      return night
    }

    mutating func add(_ files: [String: [UInt8]], of night: Night) {
      for (path, bytes) in files where !night.changed.contains(path) {
        known.append((path, bytes, night.read[path] != nil))
      }
    }
  }

  /// The events per name in lines.
  private static func count(_ bytes: ArraySlice<UInt8>, into counts: inout [String: Int]) {
    for line in bytes.split(separator: 0x0A) {
      let event = (try? NaiveJSON(parsing: Array(line)))?["events"]?[0]
      if let name = event?["name"]?.text { counts[name, default: 0] += 1 }
    }
  }

  private var number = 0
  private mutating func line() -> [UInt8] {
    number += 1
    return Array(Sample.event("u\(number % 3)", "e\(number)").utf8)
  }

  /// Changes the logs as a day does.
  private mutating func change(
    _ files: inout [String: [UInt8]], _ random: inout RepeatableRandom, mayChange: Bool
  ) {
    let names = ["a", "b", "c", "d"]
    for _ in 0..<3 {
      let name = names.randomElement(using: &random) ?? "a"
      let other = files.keys.sorted().randomElement(using: &random) ?? "a"
      switch Int.random(in: 0..<8, using: &random) {
      case 0: files[name] = line() + [0x0A]
      case 1: files[name] = files[other] ?? []
      case 2:
        files[name] = files[other]
        files[other] = line() + [0x0A] + line()
      case 3: files[other] = nil
      case 4 where mayChange: files[name] = Array((files[name] ?? []).dropLast(40))
      default:
        // The last line may be cut, and go on the next day.
        var bytes = files[name] ?? []
        if let rest = pending[name], rest.starts(with: bytes) {
          bytes = rest
        } else if let last = bytes.last, last != 0x0A {
          bytes.append(0x0A)
        }
        bytes += line() + [0x0A]
        let whole = bytes + line() + [0x0A]
        pending[name] = whole
        files[name] = Array(whole.dropLast([0, 0, 1, 20].randomElement(using: &random) ?? 0))
      }
    }
  }
  private var pending: [String: [UInt8]] = [:]

  @Test(arguments: Effort.first(3, of: Array(71...82)) as [UInt64])
  func itAgreesWithComparingAllBytes(seed: UInt64) throws {
    var days = self
    var random = RepeatableRandom(seed: seed)
    let fixture = try RunFixture()
    var model = Model()
    var files: [String: [UInt8]] = [:]
    var counts: [String: Int] = [:]
    var previous: String?
    for night in 0..<5 {
      let how: Comment = "seed \(seed), night \(night)"
      days.change(&files, &random, mayChange: night > 2)
      for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
        if Bool.random(using: &random) {
          try fixture.compressedLog(bytes, name)
        } else {
          try fixture.scratch.write(bytes, to: name)
        }
      }
      if let first = model.night(files).changed.first {
        let failure = fixture.failure(Array(files.keys), to: "out-\(night)", after: previous)
        #expect(failure?.kind == .usage && failure?.path == fixture.scratch(first), how)
        #expect(failure?.why.contains("no longer all of the") == true, how)
        for path in model.night(files).changed { files[path] = nil }
      }
      let now = model.night(files)
      let inputs = files.keys.sorted().shuffled(using: &random)
      let summary = try fixture.run(inputs, to: "out-\(night)", after: previous) {
        $0.read.jobs = 1 + night % 2
        $0.read.maxRejects = nil
        $0.read.allowEmpty = true
      }
      let skipped = Dictionary(
        uniqueKeysWithValues: now.skipped.map { (fixture.scratch($0), fixture.scratch($1)) })
      #expect(
        Dictionary(uniqueKeysWithValues: summary.skipped.map { ($0.path, $0.first) }) == skipped,
        how)
      for bytes in now.read.values { Self.count(bytes, into: &counts) }
      let counted = try fixture.lines("out-\(night)/event_counts.ndjson").map {
        ($0["name"]?.text ?? "", $0["count"]?.integer ?? 0)
      }
      #expect(Dictionary(uniqueKeysWithValues: counted) == counts, how)
      model.add(files, of: now)
      previous = "out-\(night)"
    }
  }
}
