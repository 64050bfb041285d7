package struct VerifyProblem: Equatable, Sendable {
  package let file: String
  /// 0-based.
  package var frame: Int?
  /// Line number in the decompressed file, 1-based.
  package var line: Int?
  package let finding: Finding

  package var location: String {
    var parts: [String] = []
    if let frame { parts.append("frame \(frame)") }
    if let line { parts.append("line \(line)") }
    return parts.isEmpty ? file : "\(file) (\(parts.joined(separator: ", ")))"
  }

  package var message: String { "\(location): \(finding.sentence)" }
}

/// A problem: a code, and the values of its sentence.
package struct Finding: Equatable, Sendable {
  package let code: ProblemCode
  package let figures: [String]

  init(_ code: ProblemCode, _ figures: [any CustomStringConvertible] = []) {
    (self.code, self.figures) = (code, figures.map(\.description))
  }

  /// The sentence of the code with the values inserted.
  package var sentence: String {
    // Texts and names of values alternate.
    let pieces = code.rawValue.split(omittingEmptySubsequences: false) { $0 == "{" || $0 == "}" }
    return pieces.enumerated().reduce(into: "") { text, piece in
      guard piece.offset % 2 == 1 else { return text += piece.element }
      let figure = figures[piece.offset / 2]
      let noun = piece.element.drop { $0 != " " }
      text += figure + (figure == "1" ? noun.dropLast() : noun)
    }
  }
}

/// The problems of an output in the order in which they were found: the first ones of the output,
/// and the first ones about people who should be absent, in detail, all of them counted.
struct ProblemList {
  /// Number of problems of each sort that are listed in detail.
  static let mostListed = 100

  private(set) var reported: [VerifyProblem] = []
  private(set) var count = 0
  /// How many of the listed ones are about people who should be absent.
  private var listedAbsent = 0
  private(set) var areAboutAbsent = true

  /// Counts a problem, which is made only if it may be listed.
  mutating func add(_ problem: @autoclosure () -> VerifyProblem) {
    count += 1
    let listedOthers = reported.count - listedAbsent
    guard listedAbsent < Self.mostListed || listedOthers < Self.mostListed else { return }
    let problem = problem()
    let isAbout = [.holdsAbsent, .linesHoldAbsent].contains(problem.finding.code)
    if !isAbout { areAboutAbsent = false }
    guard (isAbout ? listedAbsent : listedOthers) < Self.mostListed else { return }
    reported.append(problem)
    if isAbout { listedAbsent += 1 }
  }

  mutating func add(
    _ file: String, frame: Int? = nil, line: Int? = nil, _ code: ProblemCode,
    _ figures: any CustomStringConvertible...
  ) { add(VerifyProblem(file: file, frame: frame, line: line, finding: Finding(code, figures))) }

  mutating func add(_ other: ProblemList, _ located: (VerifyProblem) -> VerifyProblem = { $0 }) {
    for problem in other.reported { add(located(problem)) }
    count += other.count - other.reported.count
    areAboutAbsent = areAboutAbsent && other.areAboutAbsent
  }
}

/// The problems of an output. The raw value of a code is its sentence, without a full stop; names
/// in braces are replaced by the values of the problem, in order; a word after a name is the plural
/// of what the value counts.
package enum ProblemCode: String, CaseIterable, Sendable {
  // Files, and their entries in the manifest.
  case unreadableDocument = "{why}"
  case unreadable = "it cannot be read: {why}"
  case listedButUnreadable = "it is listed, but cannot be read: {why}"
  case notAFile = "it is not a file"
  case empty = "it is empty"
  case notListed = "the manifest does not list it"
  case otherBytes = "it has {found bytes}; the manifest says {listed}"
  case otherLines = "it has {found lines}; the manifest says {listed}"
  case otherHash = "its XXH64 is {found}; the manifest says {listed}"

  // Manifest.
  case unclearPartitions = "its number of partitions is missing, or differs from the files it lists"
  case listsForeignFile = "it lists {path}, which is not a file of an output"
  case listsOtherThanLogs = "it lists {path}, which is neither log nor report"
  case listsBadPath = "it lists {path}, which is not a valid path in an output"
  case listsTwice = "it lists {path} twice"
  case listsNot = "it does not list {path}"
  case listsTwoLogs = "it lists two logs of {input}"
  case listsNoLog = "it lists no log of {input}"
  case logHasNoLedger = "{log} has no ledger"
  case logOfOtherLines = "{log} was made from {lines lines}; its input {input} has {read}"
  case logOfNoInput = "{log} was made from {source}, which is not an input"

  // Ledgers.
  case noLedger = "it has no ledger"
  case inputHasNoLedger = "its input {path} has no ledger"
  case unbalancedLedger = "{difference}"
  case unbalancedPart = "{path}: {difference}"
  case ledgerIsNotTheSum = "the ledger is not the sum of its inputs"
  case ledgerChanged = "its ledger differs when it is read again"
  case otherLedger = "its ledger of {path} differs from the manifest"

  // Report.
  case brokenSeal = "its bytes do not match the hash at its end"
  case otherInputs = "its inputs differ from the manifest"
  case inputOfOtherLines = "its input {path} has {lines lines}; the manifest says {listed}"
  case otherOutput = "its output of {input} differs from {log} in the manifest"
  case otherNames = "event_names is {told}, but the counts have {found event names}"
  case otherProfiles = "profiles is {told}, but {found} are published"
  case otherEvents = "it reports {told events} as {what}; event_counts.ndjson has {found} of them"
  case fewerEvents =
    "it reports {told events} as {what}; event_counts.ndjson has {found} of them in all nights"
  case otherRejects = "it reports {told rejects}; there are {found}"
  case otherRejectsOfInput = "{path} has {told} {what}; rejects.ndjson.zst has {found} of them"
  case otherUnknownFields = "it lists {told unknown fields}; its losses have {found}"
  case otherRedrive = "it reports that {told} {what}; there are {found}"

  // Frames and lines of compressed files.
  case noSeekTable = "it does not end with a seek table that describes it"
  case damagedFrame = "it {damage}"
  case endsWithinALine = "it does not end with a line feed"
  case notUTF8 = "it is not UTF-8"
  case notAnObject = "it is not a JSON object"
  case repeatedKey = "it has the key of the previous line"
  case outOfOrder = "it is out of order: it belongs before the previous line"
  case otherPart = "its key {key} belongs to part {right}, not to part {part}"

  // Profiles.
  case unknownMember = "it has an unknown field {name}"
  case repeatedMember = "it has two fields {name}"
  case badFlag = "its {field} is not true"
  case noIdentifiers = "it has no identifiers"
  case badIdentifiers = "its identifiers are neither a person nor an installation"
  case beginsWithoutID = "it does not begin with its id and its kind"
  case badInstallations = "its {name} are not a list of texts"
  case noMembers = "its {name} are not an object with fields"
  case membersOutOfOrder = "its {name} are out of order"
  case badRegister = "its {field} is not a valid {form} with a time"
  case eventHasNoCount = "its event {name} has no count"
  case eventSeenOutside = "its event {name} was seen outside of first_seen to last_seen"
  case badTimes = "{subject} has a first_seen or last_seen that is not a time"
  case reversedTimes = "{subject} has a first_seen after its last_seen"

  // Changes.
  case noChange = "it is not a change of a profile"
  case otherChange = "it differs from the published profile, or from its absence"

  // State, its totals and its index.
  case badHeader = "it is not a header of a state"
  case otherStateFormat = "the state has format {found}, this version reads format {read}"
  case headerOfOtherPart = "its header is not that of part {part} of {parts}"
  case noStates = "it does not contain states of keys"
  case badState = "it is not a state of a key, or does not match its profile"
  case otherEventsOfState = "its profiles have {found events} {name}; the keys of its state {told}"
  case otherAttribute = "it does not have the attribute {name}, which the state has"
  case unpublished = "it has data, and neither a profile nor a person to be published with"
  case otherFolds = """
    the profiles list {found installations} of people; according to the state there are {known}, or \
    others
    """
  case otherEntry = "entry {number} does not match the frames"
  case moreEntriesThanProfiles = "it has more entries than there are frames of profiles"
  case fewerEntriesThanProfiles = "it has fewer entries than there are frames of profiles"
  case moreEntriesThanState = "it has more entries than the state has frames"
  case fewerEntriesThanState = "it has fewer entries than the state has frames"
  case entriesOfOtherProfiles = "it counts {told profiles}; there are {found}"

  // Counts and losses, written again.
  case otherThanState = "it differs from what the state gives"
  case otherThanReport = "it differs from what report.json gives"
  case otherProfilesOfEvent = "{name} has {told profiles}; it is in {found}"
  case fewerThanInProfiles = "{name} has count {told}; the profiles have {found}"

  // Rejects.
  case rejectOfNoInput = "its source {path} is not an input of the run"
  case rejectOfNoLine = "it is about line {line}; the input has {lines lines}"
  case rejectWithoutReason = "it has no reason, or one without code or message"
  case badEntry = "it is not a reject entry: {why}"

  // Canonical logs.
  case blankLine = "it is blank"
  case rejectedLine = "it is rejected: {why}"
  case rejectedEvent = "its event {number} is rejected: {why}"
  case refusedOperation = "its operation {number} is refused: {why}"
  case nothingWritten = "it has no accepted part"
  case carriageReturn = "it ends with a carriage return"
  case notCanonical = """
    it is not canonical: from byte {offset} on it is {found}, the canonical form is {text}
    """
  case otherText = """
    it has {found bytes} of text, canonical are {written}: it begins with a byte order \
    mark, or its last line has no line feed
    """
  case extraFrame = "it is an extra frame: the text of the log fills fewer"
  case missingFrame = "it is missing: the text of the log fills more frames"
  case longFrame = "it is longer than any frame"
  case otherFrameText = "it has {found bytes} of text, canonical are {written}"
  case otherFrameBytes = "it has other bytes when it is written again"
  case otherLogEvents = "its input has {told accepted events}; it has {found}"
  case otherLogOperations = "its input has {told applied operations}; it has {found}"
  case moreLinesThanRecords = "it has {lines lines} for {records records}"

  // People who should be absent. Without names: the reader may not be allowed to know them.
  case holdsAbsent = "it contains an id that should be absent"
  case linesHoldAbsent = "it contains an id that should be absent: in {lines lines}"
  case mayHoldAbsent = "it cannot be read, and may name an erased person"

  // What a migration proves before it publishes.
  case fieldNotCarriedOver = "the field {field} is neither migrated nor recorded as a loss"
  case otherWrittenLosses = "the inputs have {found}, {written} were recorded"
  case otherWrittenFields = "the inputs have others than were recorded"
  case otherEventInLogs = "the inputs have {found}, the logs {logs}"
  case eventOnlyInLogs = "the inputs have none, the logs {logs}"
  case otherAccepted = "the ledger has {told accepted events}, and {found} are counted"
}
