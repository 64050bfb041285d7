import Jobs
import TestSupport

extension Sample {
  /// A log of several blocks with all kinds of lines, duplicates and links among them.
  static func log(seed: UInt64, count: Int) -> [String] {
    var random = RepeatableRandom(seed: seed)
    var records = RandomLog(seed: seed)
    return (0..<count).map { _ in
      let user = Int.random(in: 0..<40, using: &random)
      let hour = Int.random(in: 0..<24, using: &random)
      let day = Int.random(in: 1...9, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: return records.lines(1)[0]
      case 1: return ["", " \t", "{\"", "\u{1}", "7"][Int.random(in: 0..<5, using: &random)]
      case 2:
        return
          #"{"identifiers":{"custom_id":"user-\#(user)","installation_id":"i\#(user % 7)"},"time":"#
          + #""2024-05-0\#(day)T00:00:00Z","attributes":{"k\#(user % 5)":{"$add":["v\#(hour)"]},"#
          + #""age":\#(hour),"$language":"fr","u":null}}"#
      case 3:
        return #"{"installation_id":"i\#(user)","name":"open","time":"2024-05-0\#(day)T01:00:00"}"#
      case 4:
        return Sample.event(
          "user-\(user % 5)", "bought", day: day, hour: hour % 3, id: "id-\(user % 3)",
          attributes: "{\"n\":\(hour)}")
      default:
        return Sample.event(
          "user-\(user)", "seen_\(hour % 9)", day: day, hour: hour,
          attributes: #"{"$label":"l\#(hour)","$tags":["T\#(day)","t"],"price":\#(hour).50}"#)
      }
    }
  }

  /// A ledger that adds up, every number another one.
  static var ledger: Ledger {
    var ledger = Ledger()
    ledger.blank = 1
    ledger.records = 2
    ledger.rejectedLines = 4
    ledger.lines = 7
    ledger.accepted = 8
    ledger.rejected = 16
    ledger.duplicates = 32
    ledger.suppressed = 64
    ledger.outside = 128
    ledger.events = 248
    ledger.applied = 256
    ledger.refused = 512
    ledger.operations = 768
    return ledger
  }
}
