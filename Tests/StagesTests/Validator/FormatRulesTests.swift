import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The values that have a form of their own (data-model 7, 9).
@Suite struct FormatRulesTests {
  private func holds(_ text: String, _ rule: (ByteView) -> Bool) -> Bool {
    withByteView(of: text) { rule($0) }
  }

  @Test(arguments: [
    "a://b", "https://batch.com", "HTTP://x", "a1+.-://h", "x://h:80", "x://h:", "x://u@h",
    "x://u:p@h:1/p", "x://@h", "x://a@b@h", "x://[::1]", "x://[::1]:80/", "x://h?q", "x://h#f",
    "x://h/ü",
    "x://é", "x://[a]b", "myapp://open",
  ])
  func urls(_ url: String) { #expect(holds(url, FormatRules.isURL)) }

  @Test(arguments: [
    "", "x", "://h", "x:/h", "x:h", "x://", "x:///p", "x://?q", "x://#f", "x://:80", "x://u@",
    "x://u@:80", "1x://h", "+x://h", "x_y://h", "é://h", "x y://h", "x://h h", "x://h\n", " x://h",
    "x://h\u{A0}", "x://h\u{7F}", "x://h\u{85}", "x://[", "x://[]", "x://[]:80", "x://[x",
    "x://h/\u{2003}", "x://h\u{0}", "x//h://",
  ])
  func noURLs(_ text: String) { #expect(!holds(text, FormatRules.isURL)) }

  @Test(arguments: [
    "a@b.c", "a.b+c@d-e_f.g1", "é@b.c", "\"q\"@b.c", "a@b..c", "a@-.c", "A@B.C", "a@1.2.3",
    "a@b.C9",
  ])
  func emails(_ text: String) { #expect(holds(text, FormatRules.isEmail)) }

  @Test(arguments: [
    "", "@", "a", "a@", "@b.c", "a@b", "a@b.", "a@.c", "a@@b.c", "a@b@c.d", "a b@c.d", "a@b c.d",
    "a\u{A0}@b.c", "a\n@b.c", "a@b.c\n", "a@bé.c", "a@b.c-d", "a@b.c_d", "a@b.c ",
  ])
  func noEmails(_ text: String) { #expect(!holds(text, FormatRules.isEmail)) }

  @Test func phones() {
    for text in ["+1", "+0", "+123456789012345"] {
      #expect(holds(text, FormatRules.isPhone), "\(text)")
    }
    for text in [
      "", "+", "1", "123", "++1", "+1234567890123456", "+1 2", " +1", "+1\n", "+1a", "+١", "-1",
      "+1-2",
    ] {
      #expect(!holds(text, FormatRules.isPhone), "\(text)")
    }
  }

  @Test func topics() {
    let longest = String(repeating: "t", count: Limits.topic)
    for text in ["a", "z9_", "_", "0", longest] {
      #expect(holds(text, FormatRules.isTopic), "\(text)")
    }
    for text in ["", "A", "a-b", "a b", "é", "a\n", longest + "t", "{", "`", "@"] {
      #expect(!holds(text, FormatRules.isTopic), "\(text)")
    }
  }
}
