import Pipeline
import Stages

/// The night of an output, those whose outputs are beside it, what they have read, and the states
/// of a person after each.
final class NightsBeside {
  struct Night {
    /// Without the inputs of earlier nights, which each night lists again.
    private(set) var output: Output
    let name: String
    /// The hashes of its state.
    let state: [UInt64]

    fileprivate init(_ output: Output, _ name: String) {
      (self.output, self.name, state) = (output, name, output.stateHashes)
      (self.output.manifest.earlierInputs, self.output.manifest.alreadyRead) = ([], [])
    }
  }

  /// First those beside it that it does not continue, by name. Then nil for all nights whose
  /// outputs are gone, those that it continues, from the first on, and its own.
  let all: [Night?]
  /// The index of the nights whose outputs are gone.
  let gone: Int
  /// The night that has read a content, and where it began.
  private var readings: [FileHash: (night: Int, start: InputStart)] = [:]
  private let person: Person
  /// The keys of installations that belong to others, but are in lines of the person.
  var others: [String] = []
  private let texts: TextStore
  /// The states after each night that was asked for.
  private var states: [Int: [KeyState]?] = [:]
  private let control: JobControl

  var own: Int { all.count - 1 }

  /// The night of `run` in the directory `path`, alone or with those `beside` it; `texts` keeps the
  /// states of `person`.
  init(
    _ run: Output, at path: String, beside: Bool, of person: Person, _ texts: TextStore,
    _ control: JobControl
  ) {
    (self.person, self.texts) = (person, texts)
    var others: [Night] = []
    if beside, let parent = try? OutputPath(path).parent,
      let names = try? control.system.names(in: parent, doing: Output.doing)
    {
      for name in names.sorted() where "\(parent)/\(name)" != path {
        let output = try? Output("\(parent)/\(name)", system: control.system)
        if let output { others.append(Night(output, name)) }
      }
    }
    var chain = [Night(run, RunStamp.name(of: path))]
    while let index = others.firstIndex(where: {
      $0.state == chain[0].output.manifest.previousState
    }) { chain.insert(others.remove(at: index), at: 0) }
    (self.control, all, gone) = (control, others + [nil] + chain, others.count)
    // Of several nights with one content its own counts, then the first that it continues.
    for index in [own] + Array(gone + 1..<own) + Array(0...gone) {
      for input in all[index]?.output.manifest.inputs ?? run.manifest.earlierInputs {
        // Of a lost one it is known what an output itself has read.
        guard let content = input.content, index == own || index == gone || !input.isLost,
          readings[content.key] == nil
        else { continue }
        readings[content.key] = (index, input.start ?? InputStart())
      }
    }
  }

  /// The nights that have read a content, the last one first, and after which of its lines each
  /// began.
  func parts(of content: ContentFacts) -> [(after: Int, night: Int)] {
    var parts: [(after: Int, night: Int)] = []
    var next = content.key
    while let (night, start) = readings[next] {
      parts.append((start.lines, night))
      if start.known >= next.bytes { break }
      next = FileHash(bytes: start.known, xxh64: start.hash)
    }
    return parts
  }

  /// The states of the keys of the person, then of the others, after a night; nil if its output is
  /// gone or damaged.
  func states(after night: Int) -> [KeyState]? {
    if let known = states[night] { return known }
    var found: [KeyState]?
    if let night = all[night] {
      do throws(Failure) {
        let lookup = try ProfileLookup(night.output, control: control)
        found = try (person.keys + others).map { key throws(Failure) in
          try lookup.state(of: key, texts)
        }
      } catch {}
    }
    states.updateValue(found, forKey: night)
    return found
  }

  /// Those that a night continues; none of a first night, nil if it is gone.
  func states(before night: Int) -> [KeyState]? {
    guard let previous = all[night]?.output.manifest.previousState else { return nil }
    return previous.isEmpty
      ? [] : all.firstIndex { $0?.state == previous }.flatMap(states(after:))
  }

  /// Whether a night knows the ids of the state that it continues; those that are gone have its own
  /// options.
  func knowsIDs(_ night: Int) -> Bool {
    (all[night] ?? all[own])?.output.manifest.options["dedupe_days"]?.int ?? 0 > 0
  }
}

extension ContentFacts {
  fileprivate var key: FileHash { FileHash(bytes: bytes, xxh64: xxh64) }
}

/// The nights that have read the lines of logs.
struct LogNights: Sendable {
  /// The logs that neither the output nor an earlier night has read.
  private(set) var unread: [Int: UnreadLog] = [:]
  /// The content of each log that was read.
  private var contents: [ContentFacts?]
  /// By log, the last one first, and after which line each began.
  private var parts: [[(after: Int, night: Int)]] = []
  private var (own, gone) = (0, 0)

  var nights: Set<Int> { Set([own, gone] + parts.joined().map(\.night)) }

  /// The nights that have read lines of a log.
  func nights(of input: Int) -> Set<Int> {
    let night = self[input, 1]
    return Set([night] + parts[input].map(\.night))
  }

  /// The nights that have read `logs`, as far as the output with this manifest knows. The content
  /// identifies an input; it counts as often as it was read, under the same path first.
  init(
    _ logs: [InputOutcome], of manifest: Manifest, _ nights: NightsBeside, _ control: JobControl
  ) throws(Failure) {
    // The path under which each known content was read, or is a part of what was read; and those
    // of the readings that no log stands for yet.
    var paths: [ContentFacts: String] = [:]
    var left: [ContentFacts: [String]] = [:]
    for input in InputHistory(manifest).inputs {
      guard let content = input.content else { continue }
      let isReading = !input.isSuperseded && input.earlier == nil
      if isReading || paths[content] == nil { paths[content] = input.readAs }
      if isReading { left[content, default: []].append(input.path) }
    }
    let known = KnownContents(paths.keys.map { (content: $0, isCut: false) })
    func take(_ content: ContentFacts, under path: String?) -> Bool {
      let found = left[content]?.firstIndex { reading in
        path.map { $0.utf8.elementsEqual(reading.utf8) } ?? true
      }
      return found.flatMap { left[content]?.remove(at: $0) } != nil
    }
    contents = Array(repeating: nil, count: logs.count)
    var pending = logs.indices.filter { logs[$0].lost != nil || logs[$0].summary?.lines != 0 }
    for needsPath in [true, false] {
      var rest: [Int] = []
      for index in pending {
        let (file, content) = (logs[index].file, logs[index].known)
        let path = needsPath ? file.path : nil
        if let content, take(content, under: path) {
          contents[index] = content
        } else if let content, paths[content] == nil,
          // The longest known content that it begins with, and where it goes on.
          let (known, start) = try ContentScan(
            file, known: known, system: control.system, each: control.check
          ).beginnings.last, take(known, under: path)
        {
          contents[index] = known
          unread[index] = UnreadLog(path: file.path, firstLine: start.lines + 1)
        } else {
          rest.append(index)
        }
      }
      pending = rest
    }
    // Of others that were lost, too, it is unknown what was read.
    let lost = Set(manifest.inputs.filter(\.isLost).map(\.path))
    for index in pending where logs[index].lost == nil || !lost.contains(logs[index].file.path) {
      unread[index] = UnreadLog(
        path: logs[index].file.path, copied: logs[index].content.flatMap { paths[$0] })
    }
    find(in: nights)
  }

  mutating func find(in nights: NightsBeside) {
    parts = contents.map { $0.map(nights.parts) ?? [] }
    (own, gone) = (nights.own, nights.gone)
  }

  subscript(input: Int, line: Int) -> Int {
    // It is unknown what was read of a damaged log.
    if parts[input].isEmpty { return own }
    return parts[input].first { line > $0.after }?.night ?? gone
  }
}
