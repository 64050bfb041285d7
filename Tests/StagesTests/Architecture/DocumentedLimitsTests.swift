import Foundation
import TestSupport
import Testing

@testable import Jobs
@testable import Pipeline
@testable import Stages

/// The limits that documents name are those of the code. Those of values have vectors.
@Suite struct DocumentedLimitsTests {
  private static func n(_ number: Int) -> String { NumberFormat.grouped(number) }

  private static func size(_ bytes: Int) -> String {
    bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
  }

  private static let limits = """
    `--max-names`, \(n(NameTable.usualLimit)) of each
    | pairs of an event name and a day | \(n(EventDays.most)) |
    | zstd window | \(size(1 << ZstdDecoder.windowLog)) |
    up to `--jobs`, at most \(CoreQueues.most);
    | manifest | \(size(JSONDocument.longest)); \(n(InputHistory.most)) inputs of earlier nights
    | \(n(Placeholders.mostAdded * 64)) bytes, \(n(Placeholders.mostAdded)) words
    | tracking plan | \(size(TrackingPlan.longest)); inferred: \(n(TrackingTally.mostEvents)) events
    events, \(n(TrackingTally.mostAttributes)) attributes each, \(TrackingTally.mostValues) values of `enum`
    checked: \(n(TrackingFindings.most)) findings
    | mappings | \(Mappings.most), each \(size(Mappings.longestFile)) and \(Mappings.mostKinds) kinds of lines
    a path \(MappedPaths.longest) steps, all together \(n(Mappings.mostSteps)) (shared
    and \(n(MappedWords.most)) field names; a condition \(n(Mappings.mostValues)) values
    The default is \(size(ReadOptions.usualMemory)), or \(size(ReadOptions.memoryPerJob)) per job
    frames of at most \(size(InputSummary.longFrame)) of content
    """

  private static let dataModel = """
    (default \(size(Rules.defaultMaxLine)),
    at most \(size(Rules.longestLine)))
    at most \(Scanner.maxDepth) levels, counting the root
    each cut to \(SourceNames.longest) bytes
    Reports cut names to \(UnknownFields.longestName) bytes
    Of more than \(AttributeRegister.mostItems) items the first \(AttributeRegister.mostItems) are published
    on days more than \(ReadDays.mostDaysAhead) days after
    more than \(n(ReadDays.mostDaysBehind)) days before
    """

  private static let formats = """
    name the first \(IgnoredFiles.mostNamed), before
    After \(n(ReasonList.mostPerPart)) reasons only those
    `raw` is the first \(size(QuarantineStage.longestRaw)); or it is empty
    after the first \(n(QuarantineStage.entriesWithRaw)) entries of a line
    the \(HotKeys.most) people and installations with the most
    (counted up to \(n(HotIDs.mostPeople)))
    the first \(n(TrackingCheck.mostReported)) `findings`
    the \(n(RunActivity.mostNames)) most frequent names of this run
    and \(RunTally.Sample.longestRaw) bytes of a line
    with more than \(size(FrameFileReader.longestText)) of text is damage
    reports the first \(ProblemList.mostListed) problems
    """

  @Test(arguments: [("limits", limits), ("data-model", dataModel), ("file-formats", formats)])
  func limitsAreDocumented(_ page: String, _ sentences: String) throws {
    let text = try String(
      contentsOf: SourceFiles.root.appending(path: "docs/reference/\(page).md"), encoding: .utf8
    ).split(whereSeparator: \.isNewline).joined(separator: " ")
    for sentence in sentences.split(whereSeparator: \.isNewline) {
      #expect(text.contains(sentence), "\(sentence)")
    }
  }
}
