import Pipeline
import Stages

extension ErasureRequests {
  /// Writes what was erased for each request as the field `erasures` of the open object, by its
  /// index in the file of requests: the report names no erased person. `suppressed` is the
  /// suppressed input.
  func write(
    _ snapshot: PublishedSnapshot, _ suppressed: SuppressedTally.Table, to json: inout JSONWriter
  ) {
    let marks = erasures.marks
    json.objects("erasures", of: requests.indices) { index, json in
      let request = requests[index]
      let parts = snapshot.erased[index + 1] ?? ErasedParts()
      // Of several requests for one key the first gets the result.
      let isFirst = marks[request.key]?.request == index + 1
      let kept = isFirst ? suppressed[request.key] ?? SuppressedTally() : SuppressedTally()
      json.member("request", index + 1)
      json.member("of", request.section == .custom ? "custom_id" : "installation_id")
      if request.mark.isForever { json.member("forever", true) }
      if request.mark.time != .max { json.member("time", Timestamp.text(request.mark.time)) }
      parts.writeCounts(to: &json)
      json.member("kept_back_events", kept.events)
      json.member("kept_back_operations", kept.operations)
      guard let left = snapshot.installationsLeft[index + 1] else { return }
      json.array("installations", of: left.sortedByBytes)
    }
  }
}
