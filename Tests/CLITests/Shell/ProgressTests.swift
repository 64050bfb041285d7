import Jobs
import Testing

@testable import eventmill

@Suite struct ProgressTests {
  private static func reading(_ share: Double?) -> ProgressFigures {
    ProgressFigures(share: share, bytes: 250_000_000, lines: 1_200_000, rejects: 17)
  }

  private static func run(_ phase: JobPhase, _ share: Double?) -> ProgressFigures {
    ProgressFigures(
      phases: [.reading, .merging, .publishing], phase: phase, share: share, bytes: 500,
      lines: 1000, rejects: 1)
  }

  private func line(_ figures: ProgressFigures, seconds: Double = 10) -> ProgressLine {
    var state = ProgressState()
    return state.line(figures, seconds: seconds)
  }

  /// Figures, seconds, and the line for them.
  private static let lines: [(ProgressFigures, Double, String)] = [
    (reading(0.25), 10, "25 %, 250 MB at 25 MB/s, 30 s left, 1,200,000 lines, 17 rejected"),
    // Without a total there is no share.
    (reading(nil), 10, "250 MB at 25 MB/s, 1,200,000 lines, 17 rejected"),
    // Nothing was read yet: no division by zero.
    (ProgressFigures(share: 0), 0, "0 %, 0 B at 0 B/s, 0 lines, 0 rejected"),
    (
      ProgressFigures(phases: [.merging, .publishing], phase: .merging, share: 0), 3,
      "merging, 0 %, 0 lines, 0 rejected"
    ),
  ]

  @Test func aLineTellsEverything() {
    for (figures, seconds, text) in Self.lines {
      #expect(line(figures, seconds: seconds).text == "progress: \(text)")
    }
    #expect(line(Self.reading(nil)).bar(width: 200) == Self.lines[1].2)
  }

  @Test func theBarShowsTheShareAndStaysInItsLine() {
    for width in 1...200 {
      #expect(line(Self.reading(0.25)).bar(width: width).count < width, "\(width)")
    }
    #expect(
      line(Self.reading(0.25)).bar(width: 200).hasPrefix(
        "[" + String(repeating: "=", count: 10) + String(repeating: " ", count: 30) + "] "))
  }

  private static func percent(_ line: ProgressLine) -> Int {
    for part in line.text.dropFirst("progress: ".count).split(separator: ", ") {
      if part.hasSuffix(" %") { return Int(part.dropLast(2)) ?? -1 }
    }
    return -1
  }

  /// One bar for all phases: it only grows, and there is something left while the job works.
  @Test func theBarGoesOnThroughMergeAndPublish() {
    var state = ProgressState()
    var last = 0
    let steps: [(JobPhase, Double?)] =
      (0...10).map { (.reading, Double($0) / 10) } + (0...10).map { (.merging, Double($0) / 10) }
      + [(.publishing, nil), (.publishing, nil)]
    for (second, (phase, share)) in steps.enumerated() {
      let line = state.line(Self.run(phase, share), seconds: Double(second + 1))
      let percent = Self.percent(line)
      #expect(percent >= last && percent < 100, "\(line.text)")
      #expect(line.text.hasPrefix("progress: \(phase.name), "))
      last = percent
    }
    #expect(last == 97)
  }

  /// When all is read, merging is still to come, and the time for it is not forgotten.
  @Test func theTimeLeftIsThatOfAllPhases() {
    let read = line(Self.run(.reading, 1), seconds: 70).text
    #expect(read.contains("70 %") && read.contains("30 s left"))
    var state = ProgressState()
    _ = state.line(Self.run(.reading, 1), seconds: 70)
    // A merge that is slower than estimated corrects the estimate.
    let began = state.line(Self.run(.merging, 0), seconds: 71).text
    #expect(!began.contains("left"))
    let merging = state.line(Self.run(.merging, 0.5), seconds: 125).text
    #expect(merging.contains("1 min 6 s left"), "\(merging)")
    #expect(!state.line(Self.run(.publishing, nil), seconds: 300).text.contains("left"))
  }

  /// What is read twice has a share that falls when the second time begins.
  @Test func theBarNeverGoesBack() {
    var state = ProgressState()
    let before = Self.percent(state.line(Self.reading(0.9), seconds: 5))
    let after = Self.percent(state.line(Self.reading(0.45), seconds: 6))
    #expect(before == 90 && after == 90)
    #expect(Self.percent(state.line(Self.reading(1), seconds: 7)) == 99)
  }
}
