import Pipeline
import Stages

/// Compares the index of a part with the files: entry by entry with the frames of the state, as
/// they are walked, and with the positions of the frames of profiles.
///
/// Used by the walk's end, then by the thread that waited for it.
final class IndexCheck {
  private let path: String
  private let index: FrameFile
  private let profiles: FrameFile
  private let reader: FrameFileReader
  private var text = ByteBuffer()
  /// The next frame of the index, the position of the next entry in the current one, and its
  /// number.
  private var frame = 0
  private var position = 0
  private var entries = 0
  private var profileLines = 0
  private var problems = ProblemList()

  /// A check of the index `path` of a part, whose profiles are in the file `profiles`; both are
  /// paths in `output`.
  init(_ output: String, _ path: String, beside profiles: String) throws(Failure) {
    self.path = path
    index = try FrameFile("\(output)/\(path)", doing: FrameWalk.doing)
    self.profiles = try FrameFile("\(output)/\(profiles)", doing: FrameWalk.doing)
    reader = try FrameFileReader()
  }

  /// Compares the next entry with a frame of the state, if its keys could be read.
  func take(_ unit: FrameCheckUnit) {
    guard let found = unit.entry, frame <= index.frames.count else { return }
    let number = entries
    entries += 1
    guard number < profiles.frames.count else { return add(.moreEntriesThanProfiles) }
    do throws(Failure) {
      guard let entry = try next() else { return add(.fewerEntriesThanState) }
      profileLines += entry.profiles.lines
      guard unit.damage == nil, unit.linesAreKnown else { return }
      let profiles = profiles.frames[number]
      unit.findings.index.begin(unit.firstKey.view)
      unit.findings.index.end(
        state: WrittenFrame(
          compressed: found.compressed, text: found.decompressed, lines: unit.lines,
          hash: unit.hashes.state),
        // The number of lines in a frame of profiles is only known when all are counted.
        profiles: WrittenFrame(
          compressed: profiles.compressed, text: profiles.decompressed,
          lines: entry.profiles.lines, hash: unit.hashes.profiles))
      var isSame = false
      try unit.findings.index.forEach { isSame = $0 == entry }
      if !isSame { problems.add(path, .otherEntry, number) }
    } catch {
      add(.unreadable, error.why)
    }
  }

  /// Compares the rest after the walk, if there was one, and returns all problems; `lines` profiles
  /// were found, nil when not all could be read.
  func finish(profiles lines: Int?) -> ProblemList {
    guard entries > 0, frame <= index.frames.count else { return problems }
    do throws(Failure) {
      if try next() != nil {
        add(.moreEntriesThanState)
      } else if entries < profiles.frames.count {
        add(.fewerEntriesThanProfiles)
      } else if let lines, lines != profileLines {
        add(.entriesOfOtherProfiles, profileLines, lines)
      }
    } catch {
      add(.unreadable, error.why)
    }
    return problems
  }

  /// The next entry; nil at the end. Valid until the next call.
  private func next() throws(Failure) -> IndexEntry? {
    while position == text.count {
      guard frame < index.frames.count else { return nil }
      text.removeAll()
      position = 0
      try reader.decode(frame: frame, of: index, into: &text)
      frame += 1
    }
    guard let entry = IndexEntry(text.view, at: &position) else {
      throw index.file.damaged("it is not a list of entries", frame: frame - 1)
    }
    return entry
  }

  /// Adds a problem after which the rest of the index cannot be compared.
  private func add(_ code: ProblemCode, _ figures: any CustomStringConvertible...) {
    problems.add(VerifyProblem(file: path, finding: Finding(code, figures)))
    frame = index.frames.count + 1
  }
}
