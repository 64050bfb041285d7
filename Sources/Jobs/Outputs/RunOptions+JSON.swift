import Stages
import Pipeline

extension RunOptions {
  /// Writes the options that can change a result, as members of the object that is open. No path,
  /// no number of threads (docs/file-formats.md).
  func write(to json: inout JSONWriter) {
    writeRules(to: &json)
    json.member("stitch", stitch.rawValue)
    json.member("dedupe_days", dedupeDays)
    json.member("values", withValues)
    json.member("partitions", partitions)
    json.member("level", level)
    json.member("keep_going", keepGoing)
    json.member("reingest", reingest)
    if honorsOptOut { json.member("honor_opt_out", true) }
    // What earlier nights were asked stands in their state.
    if erasures.hasNew { json.member(named: Self.eraseOption, XXH64.text(erasures.hash)) }
  }

  /// What stands for the requests of an output, and all that its state was told before;
  static let eraseOption = "erase"
  /// for the same in a partial.
  static let erasuresOption = "erasures"
  /// What stands for everything that installations have said of their consent.
  static let consentsOption = "consents"

  /// Writes those options that decide what is read out of inputs: what partial runs that are merged
  /// have in common.
  func writeInput(to json: inout JSONWriter) {
    writeRules(to: &json)
    json.member("partitions", partitions)
    json.member("keep_going", keepGoing)
    if !erasures.isEmpty { json.member(named: Self.erasuresOption, XXH64.text(erasures.hash)) }
    if honorsOptOut { json.member(named: Self.consentsOption, XXH64.text(consents.hash)) }
  }

  /// Writes those options that can change what a migration writes.
  func writeMigration(to json: inout JSONWriter) {
    writeRules(to: &json)
    json.member("level", level)
    json.member("keep_going", keepGoing)
  }

  private func writeRules(to json: inout JSONWriter) {
    json.member("v1", rules.v1.rawValue)
    json.member("dialect", rules.dialect?.name ?? "auto")
    if let time = rules.defaultTime { json.member("default_time", Timestamp.text(time)) }
    if let time = rules.notBefore { json.member("not_before", Timestamp.text(time)) }
    if let time = rules.notAfter { json.member("not_after", Timestamp.text(time)) }
    if let time = rules.since { json.member("since", Timestamp.text(time)) }
    if let time = rules.until { json.member("until", Timestamp.text(time)) }
    json.member("max_line", rules.maxLine)
    json.member("raises_max_line", rules.raisesMaxLine)
    json.member("foreign", rules.foreign.policy.rawValue)
    json.member("identity_keys", rules.foreign.identityKeys.text)
    json.member("realm_objects", rules.foreign.realmObjects.rawValue)
    json.member("repair", rules.foreign.repairs)
    json.member("unknown_fields", rules.unknownFields.rawValue)
  }
}
