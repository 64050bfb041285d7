import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What the format of the auto events describes (dialects 7).
@Suite struct PulsePartTests {
  @Test func everyPartIsFoundUnderItsPath() {
    for part in PulsePart.allCases {
      let names = "\(part.path)".split(separator: ".").dropFirst()
      let parent = part.parent.map { "\($0.path)" } ?? "data"
      #expect("\(part.path)" == "\(parent).\(names.last ?? "")")
      let found = withByteView(of: String(names.last ?? "")) {
        PulsePart(named: $0)?.asMember(of: part.parent)
      }
      #expect(found == part)
    }
    let paths = Set(PulsePart.allCases.map { "\($0.path)" })
    #expect(paths.count == PulsePart.allCases.count && paths.count < UInt32.bitWidth)
  }

  @Test func otherNamesAreNone() {
    for name in ["", "Metadata", "metadata ", "type", "speed", "group", "previous_event"] {
      #expect(withByteView(of: name) { PulsePart(named: $0)?.asMember(of: nil) } == nil, "\(name)")
    }
    for (name, parent) in [
      ("type", PulsePart.scrollInfo), ("speed", .element), ("speed", .gestureParams),
      ("types", .element), ("Type", .gestureParams), ("type", .metadata),
    ] {
      #expect(
        withByteView(of: name) { PulsePart(named: $0)?.asMember(of: parent) } == nil, "\(name)")
    }
  }

  @Test func lossesNameThePart() {
    for part in PulsePart.allCases {
      let name = "\(part.path)".dropFirst("data.".count)
      #expect(part.badField?.text == "bad_field:\(name)" && part.badField?.isCut == true)
      if let missing = part.missing {
        #expect(missing.text == "missing:\(name)" && !missing.isCut)
      }
      if let bad = part.badEnum { #expect(bad.text == "bad_enum:\(name)" && !bad.isCut) }
      if let many = part.tooMany { #expect(many.text == "too_many:\(name)" && many.isCut) }
      #expect((part.tooMany != nil) == (part.mostItems != nil))
      // Only where a text may stand can a word be unknown.
      #expect(part.badEnum == nil || part.allows(.string))
      #expect(part.knows("no word of any") == (part.badEnum == nil))
    }
  }

  @Test func membersAreThoseWhoseParentItIs() {
    for part in PulsePart.allCases {
      let members = PulsePart.allCases.filter { $0.parent == part }
      #expect(part.members == members.reduce(0) { $0 | $1.bit })
      #expect(members.isEmpty || part.allows(.object))
    }
  }

  @Test func whatIsExpectedHasALossForMissingIt() {
    for event in [
      "page_load", "page_view", "click", "items_impression", "scroll", "gesture", "x", "",
    ] {
      let expected = withByteView(of: event) { PulsePart.expected(of: $0) }
      #expect(expected & PulsePart.metadata.bit != 0, "\(event)")
      for part in PulsePart.allCases where expected & part.bit != 0 {
        #expect(part.missing != nil, "\(event)")
      }
      let wantsElement = !["gesture", "x", ""].contains(event)
      #expect((expected & PulsePart.elementType.bit != 0) == wantsElement, "\(event)")
    }
    // Each that can be missed is, by some event.
    let all = ["scroll", "gesture", "items_impression"]
      .reduce(UInt32(0)) { bits, event in
        bits | withByteView(of: event) { PulsePart.expected(of: $0) }
      }
    #expect(all == PulsePart.allCases.filter { $0.missing != nil }.reduce(0) { $0 | $1.bit })
  }
}
