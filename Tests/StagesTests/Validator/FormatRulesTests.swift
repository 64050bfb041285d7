import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The values that have a form of their own (data-model 7, 9).
@Suite struct FormatRulesTests {
  private func check(_ rule: (ByteView) -> Bool, valid: [String], invalid: [String]) {
    for text in valid { withByteView(of: text) { #expect(rule($0), "\(text)") } }
    for text in invalid { withByteView(of: text) { #expect(!rule($0), "\(text)") } }
  }

  static let longest = String(repeating: "t", count: Limits.topic)

  @Test func urls() {
    check(
      FormatRules.isURL,
      valid: [
        "a://b", "https://batch.com", "HTTP://x", "a1+.-://h", "x://h:80", "x://h:", "x://u@h",
        "x://u:p@h:1/p", "x://@h", "x://a@b@h", "x://[::1]", "x://[::1]:80/", "x://h?q", "x://h#f",
        "x://h/ü", "x://é", "x://[a]b", "myapp://open",
      ],
      invalid: [
        "", "x", "://h", "x:/h", "x:h", "x://", "x:///p", "x://?q", "x://#f", "x://:80", "x://u@",
        "x://u@:80", "1x://h", "+x://h", "x_y://h", "é://h", "x y://h", "x://h h", "x://h\n",
        " x://h", "x://h\u{A0}", "x://h\u{7F}", "x://h\u{85}", "x://[", "x://[]", "x://[]:80",
        "x://[x", "x://h/\u{2003}", "x://h\u{0}", "x//h://",
      ])
  }

  @Test func emails() {
    check(
      FormatRules.isEmail,
      valid: [
        "a@b.c", "a.b+c@d-e_f.g1", "é@b.c", "\"q\"@b.c", "a@b..c", "a@-.c", "A@B.C", "a@1.2.3",
        "a@b.C9",
      ],
      invalid: [
        "", "@", "a", "a@", "@b.c", "a@b", "a@b.", "a@.c", "a@@b.c", "a@b@c.d", "a b@c.d",
        "a@b c.d", "a\u{A0}@b.c", "a\n@b.c", "a@b.c\n", "a@bé.c", "a@b.c-d", "a@b.c_d", "a@b.c ",
      ])
  }

  @Test func phonesAndTopics() {
    check(
      FormatRules.isPhone, valid: ["+1", "+0", "+123456789012345"],
      invalid: [
        "", "+", "1", "123", "++1", "+1234567890123456", "+1 2", " +1", "+1\n", "+1a", "+١", "-1",
        "+1-2",
      ])
    check(
      FormatRules.isTopic, valid: ["a", "z9_", "_", "0", Self.longest],
      invalid: ["", "A", "a-b", "a b", "é", "a\n", Self.longest + "t", "{", "`", "@"])
  }
}
