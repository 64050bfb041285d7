import Pipeline
import TestSupport
import Testing

@Suite struct CharactersTests {
  static let texts = [
    "", "a", "plain text of thirty characters", "\r\n", "\r\n\r\n", "\n\r", "a\rb\nc\r\nd",
    "\r\r\n\n",
    "é", "e\u{301}", "\u{301}", "👨‍👩‍👧‍👦", "🇫🇷🇩🇪", "🇫🇷🇩", "각", "\u{1100}\u{1161}\u{11A8}", "नमस्ते", "ﷺ", "日本語",
    "a\u{300}\u{301}\u{302}b", "\u{200D}", "\u{0}\u{0}", "👍🏽 ok\r\n",
  ]

  @Test(arguments: texts) func countsAsSwiftDoes(_ text: String) {
    withByteView(of: text) { view in
      #expect(Characters.count(view) == text.count)
      for limit in 0...40 {
        let expected = text.count > limit ? text.count : nil
        #expect(Characters.count(view, moreThan: limit) == expected)
        let cut = Characters.cut(view, to: limit)
        #expect(cut?.count == expected)
        #expect(cut?.length == expected.map { _ in text.prefix(limit).utf8.count })
        let whole = Characters.wholeCharacters(view, atMost: limit)
        #expect(text.utf8.count > limit ? limit - 3...limit ~= whole : whole == text.utf8.count)
        #expect(String(validating: text.utf8.prefix(whole), as: UTF8.self) != nil)
      }
    }
  }

  @Test(arguments: [71] as [UInt64]) func countsMixedTexts(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    for _ in 0..<1000 {
      let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Self.texts[Int.random(in: 0..<Self.texts.count, using: &random)]
      }.joined()
      #expect(withByteView(of: text, Characters.count) == text.count, "seed \(seed): \(text)")
    }
  }

  @Test func whiteSpaceIsWhatUnicodeSays() {
    let wrong = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).filter {
      Characters.isWhiteSpace($0) != $0.properties.isWhitespace
    }
    #expect(wrong == [])
  }

  static let spaces =
    " \t\n\u{B}\u{C}\r\u{85}\u{A0}\u{1680}\u{2003}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}"

  @Test func trimmedAndBlank() {
    for text in [
      "", "a", "é", "a b", "é\u{3000}€", "日本", "\u{200B} x", "\u{200B}", "\u{FEFF}", "\u{180E}",
      "\u{0}", "\u{1F}", "\u{7F}",
    ] {
      for (before, after) in [
        ("", ""), (Self.spaces, ""), ("", Self.spaces), (Self.spaces, Self.spaces),
        (" ", "\u{3000}"), ("\u{A0}", "\u{2003}"),
      ] {
        withByteView(of: before + text + after) { view in
          #expect(Characters.trimmed(view).text == text, "\(text.unicodeScalars)")
          #expect(Characters.isBlank(view) == text.isEmpty, "\(text.unicodeScalars)")
        }
      }
    }
    // Bytes that are not UTF-8 are not white space at any position.
    withByteView(of: [0x20, 0x80, 0x80, 0x80, 0x80, 0x20]) { view in
      #expect(Characters.trimmed(view).array == [0x80, 0x80, 0x80, 0x80])
    }
    withByteView(of: [0x20, 0xE2, 0x80, 0x20]) { view in
      #expect(Characters.trimmed(view).array == [0xE2, 0x80])
    }
  }

  @Test func classesInTheMiddleOfLongTexts() {
    let filler = "0123456789~!abcdefgh"
    for position in 0...20 {
      for scalar in (0...0x3100).compactMap({ Unicode.Scalar($0 as UInt32) })
      where
        scalar.value < 0x100 || scalar.value % 0x10 < 10 && position == 9
      {
        let text = filler.prefix(position) + "\(scalar)" + filler.dropFirst(position)
        withByteView(of: String(text)) { view in
          #expect(Characters.containsWhiteSpace(view) == scalar.properties.isWhitespace)
          let isControl = scalar.properties.generalCategory == .control
          #expect(Characters.hasControlCharacter(view) == isControl)
        }
      }
    }
  }

  /// Checks read words of eight bytes, the last one overlapping. No length may hide a byte.
  @Test func oneByteAtEveryPlaceOfEveryLength() {
    for length in 1...40 {
      for position in 0..<length {
        for byte in [0x20, 0x41, 0x5A, 0x61, 0x7E, 0x7F, 0x09] as [UInt8] {
          var text = [UInt8](repeating: 0x2D, count: length)
          text[position] = byte
          withByteView(of: text) { view in
            #expect(Characters.containsWhiteSpace(view) == (byte == 0x20 || byte == 0x09))
            #expect(Characters.hasControlCharacter(view) == (byte == 0x7F || byte == 0x09))
            #expect(Characters.needsLowercasing(view) == (byte == 0x41 || byte == 0x5A))
            if length >= 8 {
              #expect(Characters.isGraphicASCII(view) == (0x21...0x7E ~= byte), "\(text)")
            }
          }
        }
      }
    }
  }

  @Test func lowerCaseGoesScalarByScalar() {
    for value in 0...0x1F000 as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let expected = scalar.properties.lowercaseMapping
      let isChanged = !expected.unicodeScalars.elementsEqual(CollectionOfOne(scalar))
      guard isChanged || value < 0x500 else { continue }
      for prefix in ["", "0123456789 "] {
        withByteView(of: "\(prefix)\(scalar)") { view in
          #expect(Characters.needsLowercasing(view) == isChanged, "U+\(String(value, radix: 16))")
          var buffer = ByteBuffer()
          Characters.appendLowercased(view, to: &buffer)
          let result = buffer.view.text
          #expect(result.utf8.elementsEqual((prefix + expected).utf8))
        }
      }
    }
    var buffer = ByteBuffer()
    withByteView(of: "ΟΔΟΣ İSTANBUL ABCDEFGHIJKLMNOPQRSTUVWXYZ[@`{") {
      Characters.appendLowercased($0, to: &buffer)
    }
    #expect(
      buffer.view.text.utf8.elementsEqual("οδοσ i̇stanbul abcdefghijklmnopqrstuvwxyz[@`{".utf8))
  }

  @Test func names() {
    for good in ["a", "Z", "_", "0", "read_article", String(repeating: "x", count: 30)] {
      #expect(withByteView(of: good, Characters.isName), "\(good)")
    }
    for bad in ["", String(repeating: "x", count: 31), "a b", "a-b", "é", "a\n", "\u{212A}", "$a"] {
      #expect(!withByteView(of: bad, Characters.isName), "\(bad)")
    }
    for byte in UInt8.min...UInt8.max {
      let isIn =
        Unicode.Scalar(byte).isASCII
        && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
      #expect(withByteView(of: [byte], Characters.isName) == (isIn || byte == 0x5F))
    }
  }
}
