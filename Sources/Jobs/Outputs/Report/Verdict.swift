package import Pipeline
import Stages

/// From when on a night is to be checked (`--alert-rejects`, `--alert-fewer`).
package struct AlertLimits: WrittenObject, Sendable, Equatable {
  package static let fields: [Field<AlertLimits>] = [
    .written("rejects_percent", \.rejects), .written("fewer_percent", \.fewer),
  ]

  /// Percent of the lines that may have a rejected part.
  package var rejects = 2.0
  /// Percent of the events by which there may be fewer than on the same weekday before.
  package var fewer = 50.0

  /// Percent of the lines from which on rejects are bad: ten times the limit, or half.
  var manyRejects: Double {
    rejects > 0 ? min(10 * rejects, max(rejects, 50)) : 10 * Self().rejects
  }
}

/// Whether a night looks as nights usually do: the first line of its summary and of its page.
package struct Verdict: WrittenObject, Sendable, Equatable {
  package enum Level: String, DocumentWord, Comparable, Sendable {
    case good
    case look = "check it"
    case bad

    var style: String { self == .look ? "warn" : rawValue }

    /// In metrics: more is worse.
    package var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    package static func < (a: Level, b: Level) -> Bool { a.number < b.number }
  }

  package private(set) var level = Level.good
  /// Sentences without a full stop, the worst first.
  package private(set) var reasons: [String] = []
  fileprivate(set) var limits = AlertLimits()

  package static let fields: [Field<Verdict>] = [
    .written("level", \.level), .written("reasons") { $0.reasons.isEmpty ? nil : $0.reasons },
    .written("limits", \.limits),
  ]

  fileprivate mutating func add(
    _ level: Level, if holds: Bool = true, _ reason: @autoclosure () -> String?
  ) {
    guard holds, let reason = reason() else { return }
    reasons.append(reason)
    self.level = max(self.level, level)
  }

  /// In one line, with what was done.
  package func text(_ done: String) -> String {
    (["\(level.rawValue): \(done)"] + reasons).joined(separator: "; ")
  }
}

extension RunReport {
  /// The share of events of wrong clocks that there always are.
  private static let farShare = 0.01
  /// The share of the events that no person has, if there are so many profiles and events.
  private static let (hotShare, many) = (0.1, 1000)

  package var verdict: Verdict {
    var verdict = ownVerdict(alreadyRead: alreadyRead)
    let count = NumberFormat.count
    if ingest.total.lines > 0, let (share, than) = fewerEvents, share * 100 > options.alerts.fewer {
      verdict.add(.look, "\(NumberFormat.percent(share)) fewer events than \(than)")
    }
    let (vanished, late, far) = (vanishedNames, late, farEvents)
    verdict.add(
      .look, if: !vanished.isEmpty && ingest.total.lines > 0,
      "\(count(vanished.count, "event name", "event names")) of the night before "
        + "\(vanished.count == 1 ? "is" : "are") missing: "
        + vanished.prefix(3).joined(separator: ", ") + (vanished.count > 3 ? " …" : ""))
    verdict.add(
      .look, if: !late.unread.isEmpty,
      "\(count(late.unread.count, "file", "files")) of earlier nights came late")
    verdict.add(
      .look, if: !late.changed.isEmpty,
      "\(count(late.changed.count, "file was", "files were")) changed and left out")
    if Double(far.ahead + far.behind) > Double(ingest.total.accepted) * Self.farShare {
      for sentence in far.sentences { verdict.add(.look, sentence) }
    }
    verdict.add(.look, hotIDs)
    let repeated = repeated + overlapping
    verdict.add(
      .look, if: !repeated.isEmpty,
      "\(count(repeated.count, "input repeats", "inputs repeat")) another one")
    return verdict
  }

  /// What looks like a placeholder for a missing id, or a device that many people share; unnamed,
  /// so that no erasure has to look for it. Where there are few profiles, this is usual.
  var hotIDs: String? {
    let accepted = ingest.total.accepted
    guard let tally = snapshot?.tally, min(tally.lines, accepted) >= Self.many else { return nil }
    let share = Double(tally.hot.events.entries.first?.count ?? 0) / Double(accepted)
    if share > Self.hotShare { return "one id has \(NumberFormat.percent(share)) of the events" }
    let people = tally.hot.people.entries.first?.count ?? 0
    return people >= HotIDs.mostPeople
      ? "one installation belongs to \(NumberFormat.count(people, "person", "people")) or more"
      : nil
  }
}

extension PagedReport {
  /// What the job itself shows, without others before it; `alreadyRead` inputs were skipped.
  func ownVerdict(alreadyRead: Int = 0) -> Verdict {
    var verdict = Verdict()
    verdict.limits = options.alerts
    verdict.add(.bad, refusal.map { "nothing was published: \($0)" })
    let lost = ingest.outcomes.filter { $0.lost != nil }
    verdict.add(
      .bad, if: !lost.isEmpty,
      "\(lost.count == 1 ? lost[0].file.name : NumberFormat.count(lost.count, "input")) "
        + "could not be read whole")
    let lines = ingest.total.lines - ingest.total.blank
    let share = lines > 0 ? Double(ingest.linesWithRejects) / Double(lines) * 100 : 0
    verdict.add(
      share > options.alerts.manyRejects ? .bad : .look,
      if: refusal == nil && share > options.alerts.rejects,
      "\(NumberFormat.percent(share / 100)) of the lines have a rejected part")
    verdict.add(
      .look, if: ingest.total.lines == 0,
      alreadyRead == 0
        ? "there were no lines"
        : "there were no new lines: "
          + "\(NumberFormat.count(alreadyRead, "input was", "inputs were")) read before")
    func others(_ count: Int, _ word: String) -> String {
      count > 1 ? " and \(NumberFormat.count(count - 1, word))" : ""
    }
    let cut = ingest.outcomes.filter { $0.cutShort != nil }
    verdict.add(
      .look,
      cut.first.map {
        "\($0.file.name)\(others(cut.count, "more input")) \(cut.count > 1 ? "were" : "was") cut short"
      })
    let packed = ignoredFiles.likelyLogs
    let word = ignoredFiles.mayLackLogs ? "or more other file" : "other file"
    verdict.add(
      .look,
      packed.first.map {
        "\($0.path) (\($0.kind))\(others(packed.count, word)) may be "
          + "\(packed.count > 1 ? "logs, and were" : "a log, and was") not read"
      })
    return verdict
  }
}
