@testable import Jobs
import TestSupport
import Testing

@testable import Stages

/// Ids in the dialects (data-model 5, dialects 4).
@Suite struct IdentityTests {
  private static let zeros = "00000000-0000-0000-0000-000000000000"

  /// The path in a reason is that of the field in the line, and the message says what to do.
  @Test(arguments: [
    (#"{"user_id":1.5,"name":"a","time":\#(Sample.time)}"#, "line:0 user_id bad_custom_id"),
    (#"{"id":1.5,"events":[]}"#, "line:0 id bad_custom_id"),
    (
      #"{"identifiers":{"installation":{"installation_id":7}},"events":[]}"#,
      "line:0 identifiers.installation.installation_id bad_installation_id"
    ),
    (
      #"{"name":"a","sDate":"2024-05-02T09:15:00Z","ids":{"cus":1e3}}"#,
      "line:0 ids.cus bad_custom_id"
    ),
    (
      #"{"name":"a","time":"2024-05-02T09:15:00Z","event_id":1.5}"#,
      "event:0 event_id bad_event_id"
    ),
  ])
  func otherTypes(_ line: String, _ reason: String) throws {
    let explained = try StageHarness().explain(line)
    #expect(explained.reasons.contains(reason), "\(explained.reasons)")
    let part = reason.hasPrefix("line") ? explained.value : explained.value["events"]?[0]
    let message = part?["reasons"]?[0]?["message"]?.text ?? ""
    #expect(message.contains("write it in quotes"), "\(message)")
  }

  /// In quotes they would be rejected again.
  @Test(arguments: [
    (#""custom_id":0"#, true), (#""custom_id":-1"#, true), (#""custom_id":true"#, true),
    (#""installation_id":true"#, true), (#""custom_id":1.5"#, false),
    (#""installation_id":17"#, false),
  ])
  func theHintForAPlaceholderAdvisesNoQuotes(_ id: String, _ isPlaceholder: Bool) throws {
    let line = "{\(id),\"name\":\"a\",\"time\":\(Sample.time)}"
    func message(_ rules: Rules) throws -> String {
      let explained = try StageHarness().explain(Array(line.utf8), rules).first
      return explained?.value["reasons"]?[0]?["message"]?.text ?? ""
    }
    #expect(try message(Rules()).contains("this stands for a missing id") == isPlaceholder)
    #expect(try message(Rules()).contains("in quotes") != isPlaceholder)
    if id == #""installation_id":true"# {
      var rules = Rules()
      rules.placeholders = .fewest
      #expect(try message(rules).contains("write it in quotes"))
    }
  }

  /// A placeholder instead of an installation is as null, and a loss of its event or record.
  @Test(arguments: [
    (#"{"name":"E.A","sDate":"2024-05-02T09:15:00Z","ids":{"di":"None"}}"#, "ids.di"),
    (
      #"{"install_id":"0","time":"2024-05-02T09:15:00Z","#
        + #""action":["batch.user.event",{"e":"a"}]}"#, "install_id"
    ),
    (
      #"{"event_type":"a","timestamp":1714641300000,"data":{"metadata":{}},"device_id":"nil"}"#,
      "device_id"
    ),
    (
      #"{"_id":"x","timestamp":"2024-05-02T09:15:00.000Z","activity":"a","userId":"guest"}"#,
      "userId"
    ),
    (#"{"_id":"x","timestamp":"2024-05-02T09:15:00.000Z","activity":"a","uid":0}"#, "uid"),
  ])
  func placeholders(_ line: String, _ path: String) throws {
    let explained = try StageHarness().explain(line)
    #expect(explained.outcome == "accepted")
    #expect(explained.losses.contains("\(path) nobody_id"), "\(explained.losses)")
    let canonical = String(decoding: explained.canonical ?? [], as: UTF8.self)
    #expect(canonical.hasPrefix(#"{"identifiers":{},"events":"#), "\(canonical)")
  }

  /// A link of an SDK falls back to the installation of the line.
  @Test func internalEvents() throws {
    let line = try StageHarness().explain(
      #"{"name":"_PROFILE_IDENTIFY","sDate":"2024-05-02T09:15:00Z","ids":{"di":"i"},"#
        + #""params":{"identifiers":{"custom_id":42,"install_id":"\#(Self.zeros)"}}}"#)
    #expect(line.losses == ["params.identifiers.install_id nobody_id"])
    let canonical = String(decoding: line.canonical ?? [], as: UTF8.self)
    #expect(canonical.contains(#"{"custom_id":"42","installation_id":"i"}"#), "\(canonical)")
  }

  private static let mapping = #"""
    {"eventmill_mapping":1,"dialect":"web","match":["/anonymousId"],
     "custom_id":["/userId","/anonymousId"],"installation_id":"/anonymousId",
     "id":"/anonymousId","duplicate":"id","time":"/ts",
     "lines":[{"name":"/event"}]}
    """#

  /// One field as custom id, installation id and event id is stored by the rules of each.
  @Test func aFieldOfAMappingWithSeveralRoles() throws {
    let rules = try Rules(mappings: Self.mapping)
    let id = "7a0c6e1e-3B0B-4e0b-9d59-0a7e5c0f11aa"
    func canonical(_ fields: String) throws -> (String, [String]) {
      let line = try StageHarness().explain("{\(fields),\"ts\":1714641300000}", rules)
      return (String(decoding: line.canonical ?? [], as: UTF8.self), line.losses)
    }
    let (text, _) = try canonical(#""anonymousId":"\#(id)","event":"seen""#)
    let upper = id.uppercased()
    #expect(
      text.hasPrefix(
        #"{"identifiers":{"custom_id":"\#(id)","installation_id":"\#(upper)"},"events":"#
          + #"[{"id":"\#(id.lowercased())","duplicate":"id","name":"seen""#), "\(text)")
    let (other, losses) = try canonical(
      #""anonymousId":"\#(Self.zeros)","userId":17,"event":"seen""#)
    #expect(
      other.hasPrefix(#"{"identifiers":{"custom_id":"17"},"events":[{"name":"seen""#), "\(other)")
    #expect(losses == ["anonymousId nobody_id", "anonymousId nobody_id"])
  }
}
