import Pipeline
import Stages

/// Checks the lines of the state's totals (``StateTotals``): header, order, and the totals per
/// event name, which it collects.
final class TotalsCheck: LineCheck {
  let tape = Tape(numbersNames: false)
  /// The totals found, by event name.
  private(set) var totals: [String: EventCount] = [:]
  /// The counts by day found.
  private(set) var days = DailyCounts()
  private let partitions: Int

  /// A check of the totals of a state with `partitions` parts.
  init(partitions: Int) { self.partitions = partitions }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    if findings.isFirstOfFile { return checkHeader(root, findings) }
    // Lines are sorted by these words, then by their subject.
    for kind: ByteView in ["active", "attribute", "cohort", "day", "erased", "event"] {
      guard tape[root].next > root + 1, tape.bytes(at: root + 1) == kind,
        let name = tape.string(at: root + 2)
      else { continue }
      key.append(kind)
      key.append(UInt8(ascii: ":"))
      key.append(name)
      if kind == "event" { take(name, root, findings) }
      let isSound =
        switch kind {
        case "active": days.take(period: name, tape.member("people", of: root), tape)
        case "cohort": days.take(firstDay: name, tape.member("active", of: root), tape)
        case "day": isDay(name, root)
        case "event": days.take(event: name, tape.member("days", of: root), tape)
        default: true
        }
      if !isSound { findings.add(.badTotalDays, name.shown) }
      return
    }
    findings.add(.badTotal)
  }

  /// Whether the line counts events read on the day `name`, with a time of that day.
  private func isDay(_ name: ByteView, _ root: Int) -> Bool {
    guard let number = DayNumber.parse(name),
      let read = tape.count(at: tape.member("read", of: root)), read > 0,
      let last = tape.count(at: tape.member("last", of: root))
    else { return false }
    return DayNumber.of(last) == number
  }

  private func checkHeader(_ root: Int, _ findings: FrameFindings) {
    guard StateCheck.isHeader(root, of: tape, findings) else { return }
    if tape.count(at: tape.member("partitions", of: root)) != partitions {
      findings.add(.headerOfOtherParts, partitions)
    }
    days.start = tape.count(at: tape.member("days_from", of: root)) ?? 0
  }

  private func take(_ name: ByteView, _ root: Int, _ findings: FrameFindings) {
    guard let total = EventCount(totals: root, of: tape),
      total.profiles != nil
    else { return findings.add(.incompleteTotals, name.shown) }
    guard totals.count < EventCounts.mostNames else {
      return findings.add(.tooManyNames, EventCounts.mostNames)
    }
    totals[name.text] = total
  }
}
