import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct RootFieldsTests {
  static let names: [(RootField, String)] = [
    (.identifiers, "identifiers"), (.update, "update"), (.name, "name"), (.id, "id"),
    (.eventID, "event_id"), (.customID, "custom_id"), (.userID, "user_id"),
    (.installationID, "installation_id"), (.installID, "install_id"), (.time, "time"),
    (.label, "label"), (.tags, "tags"), (.attributes, "attributes"), (.events, "events"),
    (.overwrite, "overwrite"), (.installation, "installation"),
    (.action, "action"), (.arguments, "args"), (.actions, "actions"), (.actionName, "e"),
    (.actionLabel, "l"), (.actionTags, "t"), (.actionAttributes, "a"), (.collection, "c"),
    (.userInfo, "userInfo"), (.userInfoSnake, "user_info"), (.extras, "extras"),
    (.notification, "notification"), (.eventName, "event_name"), (.eventArguments, "event_args"),
    (.sender, "object"), (.inputURL, "inputURL"), (.targetURL, "targetURL"),
    (.refererURL, "refererURL"), (.outputURL, "outputURL"), (.sourceURL, "sourceURL"),
    (.eventType, "event_type"), (.isBackground, "is_background"), (.subSIDs, "sub_sids"),
    (.params, "params"), (.receiptTime, "ts"), (.serverDate, "sDate"), (.session, "session"),
    (.converted, "converted"), (.replay, "replay"), (.ids, "ids"), (.shortCustomID, "cus"),
    (.shortDeviceID, "di"), (.amount, "amount"), (.activity, "activity"), (.objectID, "_id"),
    (.timestamp, "timestamp"), (.date, "date"), (.event, "event"), (.data, "data"),
    (.camelUserID, "userId"), (.deviceID, "device_id"), (.partition, "_partition"),
    (.realmID, "realm_id"),
  ]

  @Test func everyMemberIsKnownByItsName() {
    #expect(Set(Self.names.map(\.0)).count == RootField.allCases.count)
    #expect(RootField.allCases.count <= FieldSet.bitWidth)
    for (member, name) in Self.names {
      withByteView(of: name) { #expect(RootField($0) == member, "\(name)") }
      #expect("\(member.text)" == name)
      // A name that differs in one place is another one.
      for position in name.utf8.indices {
        var bytes = Array(name.utf8)
        bytes[name.utf8.distance(from: name.startIndex, to: position)] ^= 0x20
        withByteView(of: bytes) { #expect(RootField($0) == nil, "\(name)") }
      }
      for other in [name + "s", String(name.dropLast()), " " + name]
      where !Self.names.contains(where: { $0.1 == other }) {
        withByteView(of: other) { #expect(RootField($0) == nil, "\(other)") }
      }
    }
  }

  @Test func theLastOfRepeatedMembersCountsAndNullIsAbsent() {
    withBatch(of: #"{"id":1,"name":2,"id":3,"time":4,"time":null,"label":null,"label":5,"x":6}"#) {
      batch, root in
      let tape = batch.tape
      let members = RootFields()
      members.read(root, of: batch)
      func text(_ member: RootField) -> String? {
        members.has(member) ? tape.bytes(at: members[member]).text : nil
      }
      #expect(text(.id) == "3" && text(.name) == "2" && text(.time) == nil && text(.label) == "5")
      #expect(members.first(.time, .name) == members[.name])
      #expect(members.first(.time, .events, .id) == members[.id])
      #expect(!members.first(.time, .events).exists)
      let unknown = members.unknownKeys.count
      #expect(unknown == 1)
    }
    // Reading again discards the earlier fields.
    withBatch(of: #"{"x":{"id":1}}"#) { batch, root in
      let members = RootFields()
      members.read(root + 2, of: batch)
      members.read(root, of: batch)
      #expect(!members.has(.id))
    }
  }

  private func unknown(_ line: String) throws -> [String] {
    let harness = StageHarness()
    _ = try harness.explain(line)
    return harness.unit.batch.unknownNames.map { "\($0.name) \($0.count)" }
  }

  @Test func unknownMembersAreCounted() throws {
    let time = Sample.time
    #expect(
      try unknown(
        #"{"name":"n","time":\#(time),"b":1,"a":{},"b":2,"c":null,"d":1,"d":null,"events":[]}"#)
        == ["a 1", "b 1", "events 1"], "null is absent, the last of repeated ones counts")
    #expect(
      try unknown(#"{"identifiers":{},"events":[{"name":"n","time":\#(time)}],"id":"u","name":1}"#)
        == ["id 1", "name 1"])
    #expect(
      try unknown(#"{"id":"u","events":[{"name":"n","time":\#(time)}],"label":"l"}"#) == ["label 1"]
    )
    #expect(
      try unknown(#"{"id":"u","update":{},"overwrite":true,"name":"n"}"#) == [
        "name 1", "overwrite 1",
      ])
    #expect(try unknown(#"{"x":1}"#).isEmpty, "a line of no dialect")
  }

  @Test func unknownMembersOfLaterDuplicatesAreNull() throws {
    #expect(try unknown(#"{"name":"n","time":0,"x":null,"x":1}"#) == ["x 1"])
  }

  /// A line may have a million unknown root fields. A count that compares each with all others is
  /// quadratic. Sixteen times as many fields may take sixteen times as long, not 256 times.
  @Test func manyUnknownMembersTakeLinearTime() {
    let few = Self.secondsToCountUnknown(4000)
    let many = Self.secondsToCountUnknown(64_000)
    #expect(many < 80 * few, "\(few) s, then \(many) s")
  }

  /// The time this thread takes to count `count` unknown fields, in seconds.
  private static func secondsToCountUnknown(_ count: Int) -> Double {
    let members = (0..<count).map { "\"x\($0)\":1" }.joined(separator: ",")
    return withBatch(of: "{\(members)}") { batch, root in
      var counted = 0
      let members = RootFields()
      members.read(root, of: batch)
      let start = ThreadClock.seconds
      members.forEachOther(than: 0, of: batch.tape) { _ in counted += 1 }
      let seconds = ThreadClock.seconds - start
      #expect(counted == count)
      return seconds
    }
  }
}
