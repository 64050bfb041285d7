@testable import Stages
@testable import Jobs
import Pipeline
import Testing

@testable import eventmill

@Suite struct PolicyTableTests {
  @Test func theMostFrequentReasonComesFirst() {
    var comparison = PolicyComparison()
    (comparison.lostByStrict, comparison.lostByLenient) = (1204, 1)
    comparison[.badName].rejected = 1
    comparison[.labelTooLong].rejected = 1203
    comparison[.labelTooLong].saved = 1203
    comparison[.labelTooLong].dropped = 1203
    comparison[.stringBlank].dropped = 2
    #expect(
      PolicyTable.lines(comparison) == [
        "v1 events       strict rejects  lenient saves  parts dropped",
        "label_too_long           1,203          1,203          1,203",
        "bad_name                     1              0              0",
        "string_blank                 0              0              2",
        "--v1 strict loses 1,204 events; --v1 lenient loses 1 event, and 1,205 parts of the 1,203 "
          + "events that it saves",
      ])
  }

  @Test func withoutADifferenceThereIsNothingToShow() {
    #expect(PolicyTable.lines(PolicyComparison()).isEmpty)
  }
}
