package import Pipeline

/// A consent statement: whether an installation has opted out (dialects 2). A value of the
/// register, without its bytes.
package struct ConsentStatement: BitwiseCopyable, Equatable, Sendable {
  package let time: Int
  package let isOptedOut: Bool

  package init(time: Int, isOptedOut: Bool) { (self.time, self.isOptedOut) = (time, isOptedOut) }

  /// Whether a merge of the two keeps this one: the later one, on equal times the opt-out. Equal
  /// ones do not win over each other.
  package func wins(over other: ConsentStatement) -> Bool {
    time != other.time ? time > other.time : isOptedOut && !other.isOptedOut
  }
}

/// The consent statements of installations, from a run and the state before it (data-model 13.6).
///
/// Filled before anything is merged, then read by any number of threads.
package struct ConsentHistory: Sendable {
  /// The most statements, of all installations together: some GB.
  static let maximumCount = 1 << 27

  /// By the digest of the key text; sorted by time once ``settle()`` was called.
  private var words: [Fingerprint: [ConsentStatement]] = [:]
  package private(set) var count = 0

  package init() {}
  package var isEmpty: Bool { words.isEmpty }

  /// Adds a statement. An installation that never opts out needs no entry.
  package mutating func add(_ word: ConsentStatement, of key: Fingerprint) {
    words[key, default: []].append(word)
    count += 1
  }

  package mutating func add(_ other: ConsentHistory) {
    words.merge(other.words) { $0 + $1 }
    count += other.count
  }

  /// Whether the installation has an entry; after ``settle()``, whether it ever opts out.
  package func knows(_ key: Fingerprint) -> Bool { words[key] != nil }

  /// Checks that the number of statements is within the limit.
  ///
  /// - Throws: `limit`.
  package func checkCount() throws(Failure) { try Self.check(count: count) }

  package static func check(count: Int) throws(Failure) {
    guard count > maximumCount else { return }
    throw Failure(
      .limit, doing: "collecting opt-outs", why: "there are more than \(maximumCount) of them",
      advice: "run over fewer inputs at a time")
  }

  /// A hash of all statements, after ``settle()``.
  package var hash: UInt64 {
    var hash = XXH64()
    forEachRecord { hash.update($0) }
    return hash.digest
  }

  /// Sorts everything, removes repeated statements, and drops installations that never opt out.
  /// Complexity: O(n log n) for n statements.
  package mutating func settle() {
    for (key, list) in words {
      words[key] = list.contains(where: \.isOptedOut) ? Self.ordered(list) : nil
    }
  }

  private static func ordered(_ list: [ConsentStatement]) -> [ConsentStatement] {
    var ordered: [ConsentStatement] = []
    for word in list.sorted(by: { $1.wins(over: $0) }) where word != ordered.last {
      ordered.append(word)
    }
    return ordered
  }

  /// Whether the latest statement of the installation up to and including `time` is an opt-out.
  /// Complexity: O(log n) for n statements of the installation.
  func isOptedOut(_ key: Fingerprint, at time: Int) -> Bool {
    guard let list = words[key] else { return false }
    let later = list.indices.binarySearch { list[$0].time <= time }
    return later > 0 && list[later - 1].isOptedOut
  }

  // MARK: Records

  /// Bytes of a record: the digest of the key, high word first, the time, and 1 for an opt-out, as
  /// little-endian words of 8 bytes.
  package static let recordLength = 32

  package var records: ByteBuffer {
    var all = ByteBuffer(capacity: count * Self.recordLength)
    forEachRecord { all.append($0) }
    return all
  }

  private func forEachRecord(_ body: (ByteView) -> Void) {
    var record = ByteBuffer(capacity: Self.recordLength)
    for (key, list) in words.sorted(by: { $0.key < $1.key }) {
      for word in Self.ordered(list) {
        record.removeAll()
        record.append(word64: key.high)
        record.append(word64: key.low)
        record.append(word64: UInt64(bitPattern: Int64(word.time)))
        record.append(word64: word.isOptedOut ? 1 : 0)
        body(record.view)
      }
    }
  }

  /// Adds the opt-outs among `records`, or else the opt-ins of installations with an entry: others
  /// need none.
  ///
  /// - Returns: false, when they are not records.
  package mutating func add(_ records: ByteView, optOuts: Bool) -> Bool {
    guard records.count % Self.recordLength == 0 else { return false }
    for start in stride(from: 0, to: records.count, by: Self.recordLength) {
      let key = Fingerprint(low: records.word64(at: start + 8), high: records.word64(at: start))
      let (time, flag) = (records.word64(at: start + 16), records.word64(at: start + 24))
      guard time < UInt64(Rules.endOfTime), time >= UInt64(Rules.earliestTime), flag <= 1 else {
        return false
      }
      guard (flag == 1) == optOuts, optOuts || knows(key) else { continue }
      add(ConsentStatement(time: Int(time), isOptedOut: optOuts), of: key)
    }
    return true
  }
}

/// A consent statement, and where it was found.
package struct LoggedConsent: Sendable {
  /// The index of its input, and the number of its line there.
  package let input: Int
  package let line: Int
  package let word: ConsentStatement
  package let key: Fingerprint
}

/// Collects the consent statements of installations, and the keys of those that are in records of a
/// person. One stage object per thread.
package final class ConsentCollector: Stage {
  package static let name = "consent"

  package typealias Take = ([LoggedConsent], _ installations: Set<String>) throws(Failure) -> Void

  private let person: Fingerprint?
  private let take: Take
  private var keyText = KeyText()

  /// A stage that calls `take` with the findings in each block that has any; `person` is the digest
  /// of a key.
  package init(of person: Fingerprint?, _ take: @escaping Take) {
    (self.person, self.take) = (person, take)
  }

  package func process(_ unit: WorkUnit) {
    let batch = unit.batch
    var found: [LoggedConsent] = []
    for index in batch.operations.indices {
      let operation = batch.operations[index]
      guard operation.kind == .register(.consent), operation.isApplied else { continue }
      let record = batch.records[Int(operation.record)]
      let key = keyText.key(.install, batch.tape.bytes(at: record.installationID))
      let isOptedOut = batch.tape[operation.value].kind == .true
      found.append(
        LoggedConsent(
          input: unit.block.input, line: unit.block.number(of: batch.lines[Int(record.line)]),
          word: ConsentStatement(time: record.time, isOptedOut: isOptedOut),
          key: Erasures.digest(of: key)))
    }
    var installations: Set<String> = []
    for index in batch.records.indices where person != nil {
      let record = batch.records[index]
      guard !record.isRejected, record.customID.exists, record.installationID.exists else {
        continue
      }
      let key = keyText.key(.custom, batch.tape.bytes(at: record.customID))
      if Erasures.digest(of: key) != person { continue }
      let installation = batch.tape.bytes(at: record.installationID)
      installations.insert(keyText.key(.install, installation).text)
    }
    if found.isEmpty, installations.isEmpty { return }
    do throws(Failure) { try take(found, installations) } catch { unit.failure = error }
  }
}

/// Suppresses data of installations while they have opted out (`--honor-opt-out`). Their consent
/// statements and erase marks count. One stage object per thread.
package final class ConsentStage: Stage {
  package static let name = "opt_out"

  private let histories: [ConsentHistory]
  private let night: ((_ input: Int, _ line: Int) -> Int)?
  /// The index of the night of the current line, and its history.
  private var current = 0
  private var history: ConsentHistory
  private var keyText = KeyText()

  /// A stage for `histories`; of several, `night` returns the index of that for a line.
  package init(
    _ histories: [ConsentHistory], of night: ((_ input: Int, _ line: Int) -> Int)? = nil
  ) { (self.histories, self.night, history) = (histories, night, histories[0]) }

  package func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for index in batch.records.indices where !batch.records[index].isRejected {
      if let night {
        let line = batch.lines[Int(batch.records[index].line)]
        let number = night(unit.block.input, unit.block.number(of: line))
        if number != current { (current, history) = (number, histories[number]) }
      }
      suppress(index, of: batch)
    }
  }

  private func suppress(_ index: Int, of batch: RecordBatch) {
    var record = batch.records[index]
    guard record.installationID.exists else { return }
    let key = Erasures.digest(
      of: keyText.key(.install, batch.tape.bytes(at: record.installationID)))
    guard history.knows(key) else { return }
    for index in record.eventIndices where batch.events[index].isAccepted {
      let event = batch.events[index]
      // An event without a time may be on either side of an opt-out.
      guard event.timing == .absent || history.isOptedOut(key, at: event.time) else { continue }
      batch.events[index].outcome = .suppressed
    }
    guard record.isLinkOnly || record.operationCount > 0, history.isOptedOut(key, at: record.time)
    else { return }
    record.isLinkOnly = false
    for operation in record.operationIndices {
      let kind = batch.operations[operation].kind
      guard batch.operations[operation].isApplied, kind != .register(.consent), kind != .erase
      else { continue }
      batch.operations[operation].isApplied = false
      batch.operations[operation].isSuppressed = true
    }
    batch.records[index] = record
  }
}
