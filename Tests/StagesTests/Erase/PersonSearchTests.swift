@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PersonSearchTests {
  /// Searches for ids of requests.
  private static func search(_ more: String..., keys: IdentityKeys = .default) throws
    -> PersonSearch
  {
    let scratch = try ScratchDirectory()
    let requests =
      [
        #"{"custom_id":"anna"}"#, #"{"custom_id":"4711"}"#,
        #"{"installation_id":"7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"}"#,
        #"{"custom_id":"later","time":"2024-06-01T00:00:00Z"}"#,
        #"{"custom_id":"two words: \"q\""}"#,
      ] + more.map { #"{"custom_id":\#(quoted($0))}"# }
    let path = try scratch.write(requests.joined(separator: "\n"), to: "requests.ndjson")
    return PersonSearch(try ErasureRequests(reading: path).erasures, keys: keys)
  }

  /// Searches for ids whose hashes alone are known, as in later nights.
  private static func hashes(_ ids: String..., isForever: Bool = false) -> PersonSearch {
    var erasures = Erasures()
    for id in ids {
      let bytes = ByteBuffer(text: id)
      let key = Erasures.key(.custom, bytes.view)
      erasures.add(Erasures.Mark(time: 5, isForever: isForever), of: Erasures.digest(of: key.view))
    }
    return PersonSearch(erasures)
  }

  private static func isNamed(_ line: [UInt8], isCut: Bool = false) throws -> Bool {
    try search().finds(line, isCut: isCut)
  }

  /// In JSON, words in strings match at any position and with any escaping.
  @Test(arguments: [
    (#"{"custom_id":"anna"}"#, true), (#"{"a":["anna"]}"#, true), (#"{"custom_id":"Anna"}"#, false),
    (#"{"custom_id":"ann"}"#, false), (#"{"custom_id":"annanna"}"#, false),
    (#"{"custom_id":"\u0061nna"}"#, true), (#"{"name":"it\"s","u":"anna"}"#, true),
    (#"{"anna":1}"#, true), (#"["anna"]"#, true), (#""anna""#, true), (#"{"b":"anna b"}"#, true),
    (#"{"installation_id":"7A0c6e1e-3b0b-4e0b-9d59-0a7e5c0f11aa"}"#, true),
    (#"{"di":"7\u0041\u00306E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"}"#, false),
    (#"{"di":"7\u00410C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"}"#, true),
    (#"{"x":"say \"anna\" twice"}"#, true),
    (#"{"x":"anna@b"}"#, true), (#"{"cus":"two words: \"q\""}"#, true),
    (#"{"ids":{"cus":"later"}}"#, true),
    (#"{"data":"{\"user\":\"anna\"}"}"#, true), (#"{"data":"[{\"a\":\"[\\\"anna\\\"]\"}]"}"#, true),
    (#"{"data":"{\"user\":\"hanna\"}"}"#, false),
    // Percent-encoded ids, once or twice, in valid and in broken JSON.
    (#"{"url":"https://a.test/?u=%61nna&x=1"}"#, true), (#"{"url":"/p?u=%2561nna"}"#, true),
    (#"{"url":"https://a.test/?u=two%20words%3A%20%22q%22"}"#, true),
    (#"{"url":"/p?u=%61nn%61"#, true), (#"{"url":"/p?u=h%61nna&r=100%"}"#, false),
    (#"{"url":"/p?u=%zznna"}"#, false),
    // Numbers are ids only in fields of ids.
    (#"{"custom_id":4711}"#, true), (#"{"userId":4711}"#, true), (#"{"cus":4711}"#, true),
    (#"{"price":4711}"#, false), (#"{"id":47110}"#, false), (#"[4711]"#, false),
    (#"{"user_id":[4711]}"#, true), (#"{"user_id":[1,{"n":1},4711]}"#, true),
    (#"{"user_id":[{"n":4711}]}"#, false), (#"{"user_id":[1],"n":4711}"#, false),
    // Lines that are broken.
    (#"{"broken":"anna","x""#, true), (#"{"custom_id":"anna"#, true),
    (#"{"custom_id":"anna}"#, true),
    (#"{"custom_id":"\u0061nna"#, true), (#"{"cus":"two words: \"q\"","#, true),
    (#"" "anna"#, true), (#"{"x": anna}"#, true), (#"x"y"anna"z"#, true), (#"{'id':'anna'}"#, true),
    ("GET /users/anna?x=1", true), ("user=anna&x", true), ("joanna", false), ("anna-lena", true),
    ("anna_lena", false),
    (#"{"custom_id":4711,"#, true), (#"{"custom_id":"ann"#, false), ("", false), (#"\"#, false),
    (#"{"a":"\"#, false), (#"{"a":"{\"user\":\"anna\"}","#, true),
  ])
  func linesThatAreJSONOrBroken(_ line: String, _ isNamed: Bool) throws {
    #expect(try Self.isNamed(Array(line.utf8)) == isNamed)
  }

  /// Escapes are undone as often as they were made.
  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func idsAreFoundHoweverDeepTheyAreEscaped(depth: Int) throws {
    for inner in ["anna", "two words: \"q\"", "7A0C6E1E-3B0B-4E0B-9D59-0A7E5C0F11AA"] {
      for isSpelt in [false, true] {
        var text = #"{"user":\#(quoted(inner))}"#
        if isSpelt { text = text.replacing("n", with: #"\u006e"#).replacing("7", with: #"\u0037"#) }
        for _ in 0..<depth { text = #"{"data":\#(quoted(text))}"# }
        #expect(try Self.isNamed(Array(text.utf8)), "\(text)")
        // The same, truncated after the id.
        let cut = Array(text.utf8.dropLast(2))
        #expect(try Self.isNamed(cut, isCut: true))
      }
    }
  }

  /// `escape` of JavaScript, escapes of programming languages, and references of HTML without `;`,
  /// at any level.
  @Test(arguments: [
    ("%u0061nna", true), ("u=%U0061nna", false), ("%uD83D%uDE00%u0061nna", true),
    ("%u0061%6e%u006Ea", true), ("two%20words%3A%u0020%22q%22", true), ("jo%u0061nna", false),
    ("&#97nna", true), ("&#97;n&#110;a", true), ("&#x61nna", true), ("&#97&#110&#110&#97", true),
    ("&ltanna&gt", true),
    ("two&#32words: &quotq&quot", true), ("jo&#97nna", false), ("&#978nna", false),
    (#"\x61nna"#, true), (#"\u{61}nna"#, true), (#"\u{000061}n\x6E\u{61}"#, true),
    (#"jo\x61nna"#, false), (#"\u{}anna"#, true), (#"\u{0000061}nna"#, false),
    (#"two\x20words\u{3a} \x22q\x22"#, true),
  ])
  func escapesOfScriptsAndPages(_ text: String, _ isNamed: Bool) throws {
    // More levels than are decoded separately.
    for depth in [0, 1, 5, 50] {
      var text = text
      for round in 0..<depth {
        text =
          round == 0
          ? text.replacing("&", with: "%26").replacing("%u", with: "%25u")
          : text.replacing("%", with: "%25")
      }
      #expect(try Self.isNamed(Array("x \(text)".utf8)) == isNamed, "\(depth): \(text)")
    }
  }

  /// Text truncated within an id may be a match; text truncated after another word is not.
  @Test(arguments: [
    (#"{"custom_id":"ann"#, true), (#"{"custom_id":"a"#, true), (#"{"custom_id":"b"#, false),
    (#"{"custom_id":"hann"#, false), (#"{"x":"\u006"#, true), (#"{"x":"b\u006"#, false),
    (#"{"x":"two wor"#, true), (#"{"x":"two x"#, false), (#"{"x":"7a0c6e1e-3b0b-4"#, true),
    (#"{"data":"{\"user\":\"ann"#, true), (#"{"x":"bob","#, false),
    (#"{"u":"?a=1&q=ann"#, true), (#"{"u":"?q=%61nn%6"#, true), (#"{"u":"?q=two+wor"#, true),
    (#"{"x":"“ann"#, true), (#"{"x":"éann"#, false), (#"{"x":"bob&am"#, false),
    (#"{"x":"bob &#9"#, true), (#"{"x":"%u006"#, true), (#"{"x":"b%u006"#, false),
    (#"{"x":"bob \x6"#, true), (#"{"x":"bob \u{6"#, true), (#"{"x":"b\x6"#, false),
    (#"{"x":"bob %uD83D"#, true), (#"{"x":"bob %uD83D%u"#, true), (#"{"x":"bob %u0062"#, false),
  ])
  func whatWasCutWithinAnID(_ text: String, _ isNamed: Bool) throws {
    #expect(try Self.isNamed(Array(text.utf8), isCut: true) == isNamed)
  }

  /// In JSON, hashes are compared with strings, keys, numbers and words. Truncated or damaged text
  /// is cleared as long as any erasure is permanent.
  @Test(arguments: [false, true])
  func hashesAreCompared(isForever: Bool) throws {
    let search = Self.hashes("anna", "4711", isForever: isForever)
    func isNamed(_ text: String, isCut: Bool = false) -> Bool {
      search.finds(Array(text.utf8), isCut: isCut)
    }
    #expect(isNamed(#"{"a":"anna"}"#) && isNamed(#"{"anna":1}"#) && isNamed(#"{"login":4711}"#))
    #expect(isNamed(#"{"a":"to anna, late"}"#) && !isNamed(#"{"a":"bob","b":4711}"#))
    #expect(isNamed(#"{"a":"#) == isForever && isNamed("bob", isCut: true) == isForever)
    #expect(search.isNamed(inPath: "attributes.anna[3]") && !search.isNamed(inPath: "attributes.k"))
  }

  /// Only the hash of an id is known, and a name may have been cut within the id.
  @Test func namesThatWereCutAreLeftOutWhereOnlyHashesAreKnown() {
    let search = Self.hashes("user77x")
    let name = String(repeating: "p", count: 116)
    #expect(search.isNamed(inPath: "attributes.\(name) us…"))
    #expect(search.isNamed(inPath: "\(name) use") && search.isNamed(inPath: "\(name)é"))
    #expect(!search.isNamed(inPath: name) && !search.isNamed(inPath: "\(name)ppppp"))
  }

  /// Beside such a character a known id is found, and `verify --requests` knows all ids.
  @Test(arguments: ["+", "-", ".", "@", "*", "#", "$", "%", "~", "^", "!", ": "])
  func hashesAreComparedBesideCharactersOfIDs(_ beside: String) throws {
    for id in ["u3", "u3.x", "a+b", "+4917", "anna.b-c@x", "東京"] {
      for (text, isNamed) in [
        ("to \(id)\(beside)y", true), ("to y\(beside)\(id) z", true),
        ("y\(beside)\(id)\(beside)y", true), ("to 9\(id)9\(beside)y", id == "東京"),
      ] {
        let line = Array(#"{"x":\#(quoted(text))}"#.utf8)
        #expect(Self.hashes(id).finds(line) == isNamed, "\(text)")
      }
    }
  }

  /// A character outside ASCII is part of a word only if it is a letter, a digit or a mark.
  @Test(arguments: [
    ("“", "”", true), ("«", "»", true), ("：", "，", true), ("—", "—", true), ("…", "…", true),
    ("\u{A0}", "\u{A0}", true), ("\u{3000}", "\u{3000}", true), ("\u{200B}", "\u{FEFF}", true),
    ("①", "²", true),
    ("\u{FE0F}", "\u{FE0F}", true), ("顧客", "様", true), ("님", "은", true), ("ของ", "ที่", true),
    ("", "é", false), ("ü", "", false), ("", "\u{301}", false), ("", "٣", false),
    ("Ж", "", false), ("", "Ⅳ", false),
  ])
  func idsBesideCharactersOutsideASCII(_ before: String, _ after: String, _ isNamed: Bool) throws {
    for line in [#"{"x":"to \#(before)anna\#(after)"}"#, "to \(before)anna\(after)"] {
      #expect(try Self.isNamed(Array(line.utf8)) == isNamed, "\(line)")
    }
    // Hashes are compared with words between any such characters.
    let text = Array("to \(before)anna@x.test\(after)".utf8)
    #expect(Self.hashes("anna@x.test").finds(text) == isNamed, "\(before)")
  }

  /// The search takes one step per word, however many ids begin with the same words, and whatever
  /// the nesting of escapes.
  @Test func idsThatShareABeginningTakeNoLonger() throws {
    let beginnings = (1...300).map { Array(repeating: "a", count: $0).joined(separator: " ") }
    let ids = ErasedIDs(beginnings.map { (.custom, Array("\($0) z".utf8)) })
    var erasures = Erasures()
    erasures.ids = ids
    erasures.add(Erasures.Mark(time: 5, isForever: false, request: 1), of: Erasures.digest(of: "x"))
    let search = PersonSearch(erasures)
    let words = Array(repeating: "a", count: 20_000).joined(separator: " ")
    let percents = "%" + String(repeating: "25", count: 10_000)
    for text in [words, percents, String(repeating: "\\", count: 20_000)] {
      #expect(!search.finds(Array(text.utf8)))
      #expect(search.finds(Array("\(text) a z".utf8)))
    }
  }

  /// Of a truncated text. Only installations named by a UUID ignore case.
  @Test func aTextMayEndWithTheBeginningOfAnID() {
    let uuid = Array("7c9e6679-7425-40de-944b-e07fc1f90ae7".utf8)
    let ids = ErasedIDs([(.install, uuid), (.custom, Array("Anna-Maria".utf8))])
    for (text, mayBegin) in [
      ("by 7c9e6679-74", true), ("by 7C9E66", true), ("by Anna-M", true), ("by anna-m", false),
      ("by xAnna", false), ("by 7d", false),
    ] {
      let found = withByteView(of: Array(text.utf8)) { ids.mayBegin(atEndOf: $0) }
      #expect(found == mayBegin, "\(text)")
    }
  }

  /// `ab` of `c` is another name than `a` of `bc`.
  @Test func anErasedNameIsNotPartOfItsKey() {
    #expect(ErasedNamesRegister.hash("ab", of: "c") != ErasedNamesRegister.hash("a", of: "bc"))
  }

  /// Numbers are ids under the names that are given with --identity-keys, too.
  @Test func namesOfIdentitiesAreGiven() throws {
    let search = try Self.search(keys: #require(IdentityKeys("custom:Kunde")))
    for (line, isNamed) in [
      (#"{"kunde":4711}"#, true), (#"{"KUN-DE":4711}"#, true), (#"{"login":4711}"#, true),
      (#"{"username":4711}"#, true), (#"{"count":4711}"#, false),
    ] {
      #expect(search.finds(Array(line.utf8)) == isNamed, "\(line)")
    }
  }

  /// Of too many similar ids the first ones are named.
  @Test func mostSimilarIDs() {
    var many = SimilarIDs()
    for number in (0...SimilarIDs.most).reversed() {
      let id = ByteBuffer(text: "\(10_000 + number)")
      many.add(id.view)
      many.add(id.view)
    }
    #expect(many.hasMore && many.names.count == SimilarIDs.most && many.names.last == "10999")
  }

  @Test func bytesThatAreNoText() throws {
    for (before, text, after, isNamed) in [
      ([0xFF, 0x22], "anna", [0x22, 0xC3], true), ([1], "anna", [0], true),
      ([0x22], "anna", [0xFF, 0x22], true), ([0x22], "annaé", [0xFF, 0x22], false),
    ] as [([UInt8], String, [UInt8], Bool)] {
      #expect(try Self.isNamed(before + Array(text.utf8) + after) == isNamed, "\(before)")
    }
  }

  /// The search ends for any nesting depth and any bytes.
  @Test func anyBytesAreSearched() throws {
    var random = RepeatableRandom(seed: UInt64.random(in: 0...UInt64.max))
    let search = try Self.search()
    let alphabet = Array(#"{}[]":,\ua0an"#.utf8) + [0xFF, 0xC3, 0x0A]
    for _ in 0..<3000 {
      let line = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      _ = search.finds(line)
      let named = line + Array(#"","x":"anna""#.utf8)
      #expect(search.finds(named) || named.contains(UInt8(ascii: "\\")), "\(line)")
    }
    let deep = String(repeating: "[", count: 100_000) + #""anna""#
    #expect(search.finds(Array(deep.utf8)))
  }
}

extension PersonSearch {
  fileprivate func finds(_ line: [UInt8], isCut: Bool = false) -> Bool {
    withByteView(of: line) { isNamed(in: $0, isCut: isCut) }
  }
}
