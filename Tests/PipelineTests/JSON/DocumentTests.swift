import TestSupport
import Testing

@testable import Pipeline

@Suite struct DocumentTests {
  private enum Color: String, DocumentWord { case red, green }

  private struct Part: Document, Equatable {
    var name = "", color = Color.red

    static let fields: [Field<Part>] = [.value("name", \.name), .value("color", \.color)]
  }

  private struct Sums: Document, Equatable {
    var total = 0, rest = 0, others = 0
    var part: Part?
    var parts: [Part] = []
    var names: [NamedCount] = []
    var hash: UInt64 = 0
    var isOpen = true

    static let fields: [Field<Sums>] = [
      .format("sums", 2),
      .group("lines", [.count("total", \.total), .count("rest", \.rest, omitsZero: true)]),
      .count("others", \.others), .maybe("part", \.part), .list("parts", \.parts),
      .counts("names", \.names, omitsEmpty: true), .value("hash", \.hash, unless: 0),
      .value("open", \.isOpen, unless: true), .written("sum") { $0.total + $0.rest },
    ]

    func check() throws(DocumentDamage) {
      guard rest <= total else { throw DocumentDamage("has more than its total").inside("lines") }
    }
  }

  private struct Size: Document {
    var bytes = 0
    static let fields: [Field<Size>] = [.size("bytes", \.bytes)]
  }

  private static let least = #"{"sums":2,"lines":{"total":3},"others":2,"sum":3}"#
  private static let whole =
    #"{"sums":2,"lines":{"total":3,"rest":1},"others":2,"part":{"name":"a","color":"green"},"#
    + #""parts":[{"name":"b","color":"red"}],"names":{"x":4,"y":5},"hash":"00000000000000ff","#
    + #""open":false,"sum":4}"#

  private static func read(_ text: String, most: Int = DocumentReading.most) throws -> Sums {
    try withByteView(of: text) { try Sums(JSONDocument($0).root, most: most) }
  }

  private static func why(_ text: String, most: Int = DocumentReading.most) throws -> String? {
    do {
      _ = try read(text, most: most)
      return nil
    } catch let damage as DocumentDamage {
      return damage.why
    }
  }

  @Test(arguments: [least, whole]) func isWrittenAsItWasRead(_ text: String) throws {
    #expect(try Self.read(text).text().text == text + "\n")
  }

  @Test func fieldsMayComeInAnyOrderWithOthersBetween() throws {
    let text = #"{"x":[],"others":2,"sum":"?","lines":{"more":1,"total":3},"sums":2}"#
    #expect(try Self.read(text) == Self.read(Self.least))
  }

  @Test func addsUpItsCounts() throws {
    var sum = try Self.read(Self.least)
    sum.add(try Self.read(Self.whole))
    #expect((sum.total, sum.rest, sum.others) == (6, 1, 4))
  }

  @Test func namesWhatIsDamaged() throws {
    for row in Vectors.rows("damaged-documents") {
      #expect(try Self.why(row[0]?.text ?? "") == row[1]?.text, "\(row)")
    }
  }

  /// Each count may be believed, but not all of them: their sum would not fit an integer.
  @Test func countsThatDoNotFitTogetherAreRefused() throws {
    let most = DocumentReading.mostOfOne
    let names = (0..<17).map { "\"\($0)\":\(most)" }.joined(separator: ",")
    let text = #"{"sums":2,"lines":{"total":1},"others":0,"names":{\#(names)}}"#
    #expect(try Self.why(text) == "names.15 exceeds what logs can hold")
    #expect(try Self.why(Self.whole, most: 15) == nil)
    #expect(try Self.why(Self.whole, most: 14) == "names.y exceeds what logs can hold")
    #expect(throws: DocumentDamage("exceeds what logs can hold").inside("bytes")) {
      try withByteView(of: #"{"bytes":2}"#) { try Size(JSONDocument($0).root, most: 1) }
    }
  }
}
