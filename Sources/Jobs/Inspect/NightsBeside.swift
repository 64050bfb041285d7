import Pipeline
import Stages

/// The night of an output, those whose outputs are beside it, and what they have read.
struct NightsBeside: Sendable {
  struct Night: Sendable {
    /// Nil if the output is gone.
    var path: String?
    var name: String?
    /// The hashes of its state, and those of the state that it continues.
    var state: [UInt64] = []
    var previous: [UInt64] = []
    /// Whether it knows the ids of the state that it continues.
    let knowsIDs: Bool
    /// What it has read.
    fileprivate var inputs: [ManifestInput] = []
  }

  /// First those beside it that it does not continue, by name. Then all nights whose outputs are
  /// gone, as one with its options, those that it continues, from the first on, and its own.
  let all: [Night]
  /// The index of the nights whose outputs are gone.
  let gone: Int
  /// The night that has read a content, and where it began.
  private var readings: [FileHash: (night: Int, start: InputStart)] = [:]
  private let control: JobControl

  var own: Int { all.count - 1 }

  /// The night of `run` in the directory `path`, alone or with those `beside` it.
  init(_ run: Output, at path: String, beside: Bool, _ control: JobControl) {
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
    while let index = others.firstIndex(where: { $0.state == chain[0].previous }) {
      chain.insert(others.remove(at: index), at: 0)
    }
    let gone = Night(
      knowsIDs: chain[chain.count - 1].knowsIDs, inputs: run.manifest.earlierInputs)
    (self.control, all, self.gone) = (control, others + [gone] + chain, others.count)
    // Of several nights with one content its own counts, then the first that it continues.
    let first = self.gone + 1
    for index in [own] + Array(first..<own) + Array(0...self.gone) {
      for input in all[index].inputs {
        // Of a lost one it is known what an output itself has read.
        guard let content = input.content, index == own || index == self.gone || !input.isLost,
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

  /// The states of the keys of a person after a night; nil if its output is gone or damaged.
  func states(of person: Person, after night: Night, _ texts: TextStore) -> [KeyState]? {
    guard let path = night.path else { return nil }
    do throws(Failure) {
      var lookup = try ProfileLookup(path, control: control)
      return try person.keys.map { key throws(Failure) in try lookup.state(of: key, texts) }
    } catch { return nil }
  }

  /// Those that a night continues; none of a first night, nil if it is gone.
  func states(of person: Person, before night: Night, _ texts: TextStore) -> [KeyState]? {
    if night.path == nil { return nil }
    if night.previous.isEmpty { return [] }
    return all.first { $0.state == night.previous }.flatMap { states(of: person, after: $0, texts) }
  }
}

extension NightsBeside.Night {
  fileprivate init(_ run: Output, _ name: String) {
    self.init(
      path: run.path, name: name, state: run.stateHashes, previous: run.manifest.previousState,
      knowsIDs: run.manifest.options["dedupe_days"]?.int ?? 0 > 0, inputs: run.manifest.inputs)
  }
}

extension ContentFacts {
  fileprivate var key: FileHash { FileHash(bytes: bytes, xxh64: xxh64) }
}
