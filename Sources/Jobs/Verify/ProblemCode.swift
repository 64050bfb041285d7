/// What can be wrong with an output. The raw value of a code is the sentence for it, without a full
/// stop; a name in braces is replaced by a figure of the problem, in their order.
package enum ProblemCode: String, CaseIterable, Sendable {
  // Files, and how the manifest lists them.
  case unreadableDocument = "{why}"
  case unreadable = "it cannot be read: {why}"
  case listedButUnreadable = "it is listed, but cannot be read: {why}"
  case notAFile = "it is no file"
  case notListed = "the manifest does not list it"
  case otherBytes = "it has {found} bytes; the manifest says {listed}"
  case otherLines = "it has {found} lines; the manifest says {listed}"
  case otherHash = "its XXH64 is {found}; the manifest says {listed}"

  // Manifest.
  case unclearPartitions =
    "it does not say how many partitions there are, or not as many as it lists"
  case listsForeignFile = "it lists {path}, which no output has"
  case listsOtherThanLogs = "it lists {path}, which is neither log nor report"
  case listsBadPath = "it lists {path}, where no file of an output may be"
  case listsTwice = "it lists {path} twice"
  case listsNot = "it does not list {path}"
  case listsTwoLogs = "it lists two logs of {input}"
  case listsNoLog = "it lists no log of {input}"
  case logHasNoLedger = "{log} has no ledger"
  case logOfOtherLines = "{log} is of {lines} lines; its input {input} has {read}"
  case logOfNoInput = "{log} is of {source}, which is no input"

  // Ledgers.
  case noLedger = "it has no ledger"
  case inputHasNoLedger = "its input {path} has no ledger"
  case unbalancedLedger = "{difference}"
  case unbalancedPart = "{path}: {difference}"
  case ledgerIsNotTheSum = "the ledger is not the sum of its inputs"
  case ledgerChanged = "its ledger is another when it is read once more"
  case otherLedger = "its ledger of {path} is not that of the manifest"

  // Report.
  case otherInputs = "its inputs are not those of the manifest"
  case inputOfOtherLines = "its input {path} has {lines} lines; the manifest says {listed}"
  case otherOutput = "its output of {input} is not {log} as the manifest lists it"
  case otherNames = "event_names is {told}, but {found} event names are counted"
  case otherProfiles = "profiles is {told}, but {found} profiles are published"
  case otherEvents = "{told} events are {what}; event_counts.ndjson has {found} of them"
  case fewerEvents =
    "{told} events are {what}; event_counts.ndjson has {found} of them in all nights"
  case otherRejects = "it says that there are {told} rejects; there are {found}"
  case otherRejectsOfInput = "{path} has {told} {what}; rejects.ndjson.zst has {found} of them"
  case otherLosses = "it says {told} times {code}; losses.ndjson says {found}"
  case otherUnknownFields = "it names {told} unknown fields; losses.ndjson says {found}"
  case otherRedrive = "it says that {told} {what}; there are {found}"

  // Frames and lines of compressed files.
  case noSeekTable = "it does not end with a seek table that describes it"
  case damagedFrame = "it {damage}"
  case endsWithinALine = "it does not end at the end of a line"
  case notUTF8 = "it is not UTF-8"
  case notAnObject = "it is no JSON object"
  case repeatedKey = "it has the key of the line before it"
  case outOfOrder = "it is out of order: it belongs before the line before it"
  case otherPart = "its key {key} belongs to part {right}, not to part {part}"

  // Profiles.
  case unknownMember = "no profile has a member {name}"
  case repeatedMember = "it has two members {name}"
  case badFlag = "its {field} is not true"
  case noIdentifiers = "it has no identifiers"
  case badIdentifiers = "its identifiers are neither a person nor an installation"
  case beginsWithoutID = "it does not begin with its id and its kind"
  case badInstallations = "its installation_ids are no list of texts"
  case installationsOutOfOrder = "its installation_ids are out of order"
  case noMembers = "its {name} are no object with members"
  case membersOutOfOrder = "its {name} are out of order"
  case badRegister = "its {field} is no {form} with a time"
  case eventHasNoCount = "its event {name} has no count"
  case eventSeenOutside = "its event {name} was seen outside of first_seen to last_seen"
  case badTimes = "{subject} has a first_seen or last_seen that is no time"
  case reversedTimes = "{subject} has a first_seen behind its last_seen"

  // State, its totals and its index.
  case noHeader = "it has no header"
  case badHeader = "it is no header of a state"
  case otherStateFormat = "the state has format {found}, this version reads format {read}"
  case headerOfOtherPart = "its header does not say that it is part {part} of {parts}"
  case headerOfOtherParts = "its header does not say that there are {parts} parts"
  case noStates = "it does not hold states of keys"
  case badState = "it is no state of a key, or does not fit the profile beside it"
  case badTotal = "it is of no attribute key, erased key, event name or active people"
  case incompleteTotals = "its totals of {name} lack a number"
  case tooManyNames = "there are more than {most} names"
  case otherEntry = "entry {number} is not what the frames are"
  case moreEntriesThanProfiles = "it has more entries than there are frames of profiles"
  case fewerEntriesThanProfiles = "it has fewer entries than there are frames of profiles"
  case moreEntriesThanState = "it has more entries than the state has frames"
  case fewerEntriesThanState = "it has fewer entries than the state has frames"
  case entriesOfOtherProfiles = "it counts {told} profiles; there are {found}"

  // Counts by day.
  case badTotalDays = "its days of {name} are no counts by day"
  case badDailyCount = "it is no count of a day, a week, a month or an event"
  case otherDailyEvents = "{name} has {found} events; event_counts.ndjson has {count}"
  case otherEventDays = "{name} has other days in the state"
  case otherPeople = "it has other active people by {period} than the state"
  case otherNewPeople = "{day} is said to have {told} new people; it is the first day of {found}"
  case otherStart = "it is not complete from the day on that the state says"
  case otherPeopleOfProfiles = "it has other active people by {period} than the profiles beside it"

  // Counts of events.
  case badCount = "it is no count of an event"
  case incompleteCount = "{name} lacks a count or a time"
  case nameOutOfOrder = "{name} is out of order"
  case badSourceNames = "the source_names of {name} are no sorted list of a few names"
  case namesItself = "{name} is called a source name of itself"
  case otherDialectCounts = """
    {name} was read {read} times by its dialects, but {count} counted and {duplicates} duplicates \
    are {sum}
    """
  case otherRow = "it should be {row}"
  case extraRow = "event_counts.ndjson has no such line"
  case missingRows = "it has {found} lines; with the heading it should have {lines}"
  case otherProfilesOfEvent = "{name} is said to be in {told} profiles; it is in {found}"
  case fewerThanInProfiles = "{name} has count {told}; the profiles hold {found}"
  case lacksNameOfProfiles = "it lacks {name}, which profiles have"
  case lacksNameOfState = "it lacks {name}, which the state has"
  case noTotals = "{name} has no totals in the state"
  case otherTotals = "{name} has other totals in the state"

  // Rejects and losses.
  case incompleteReject = "it lacks source, line, offset, scope or index"
  case rejectWithoutText = "it must have either raw or raw_base64"
  case rejectOfNoInput = "its source {path} is no input of the run"
  case rejectOfNoLine = "it is about line {line}; the input has {lines} lines"
  case rejectWithoutReason = "it has no reason, or one without code or message"
  case badEntry = "it is no reject entry: {why}"
  case badLoss = "it is no count of a loss"
  case otherSamples = "it has {found} examples for {count} losses"
  case incompleteSample = "an example lacks source, line or path"
  case sampleOfNoLine = "it names line {line} of {path}, which is none of the inputs' lines"

  // Canonical logs.
  case blankLine = "it is blank"
  case rejectedLine = "it is rejected: {why}"
  case rejectedEvent = "its event {number} is rejected: {why}"
  case refusedOperation = "its operation {number} is refused: {why}"
  case nothingWritten = "nothing of it would be written"
  case carriageReturn = "it ends with a carriage return"
  case notCanonical = """
    it is not canonical: from byte {offset} on it reads {found}, and would be written {text}
    """
  case otherText = """
    it has {found} bytes of text, and would be written with {written}: it begins with a byte order \
    mark, or its last line has no end
    """
  case extraFrame = "it is one frame more than the text of the log fills"
  case missingFrame = "it is missing: the text of the log fills more frames"
  case longFrame = "it is longer than any frame"
  case otherFrameText = "it has {found} bytes of text, and would be written with {written}"
  case otherFrameBytes = "it has other bytes when it is written once more"
  case otherLogEvents = "{told} events were accepted; it holds {found}"
  case otherLogOperations = "{told} operations were applied; it holds {found}"
  case moreLinesThanRecords = "it has {lines} lines of {records} records"

  // People who should be absent. Not by name: who reads this may not be meant to know.
  case holdsAbsent = "it holds somebody who should be absent"
  case linesHoldAbsent = "it holds somebody who should be absent; {lines} lines do"
  case mayHoldAbsent = "it cannot be read, and may name an erased person"

  // What a migration proves before it publishes.
  case fieldNotCarriedOver =
    "the field {field} is neither carried over nor written down as a loss"
  case otherWrittenLosses = "the inputs have {found}, {written} were written down"
  case otherWrittenFields = "the inputs have others than were written down"
  case otherEventInLogs = "the inputs have {found}, the logs {logs}"
  case eventOnlyInLogs = "the inputs have none, the logs {logs}"
  case otherAccepted = "{told} events were accepted, and {found} are counted"
}
