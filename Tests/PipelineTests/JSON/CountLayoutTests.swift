import TestSupport
import Testing

@testable import Pipeline

@Suite struct CountLayoutTests {
  private struct Sums: LaidOutCounts, Equatable {
    var total = 0
    var rest = 0
    var others = 0

    static let layout: [CountLayout<Sums>] = [
      .group("lines", [.count("total", \.total), .optional("rest", \.rest)]),
      .count("others", \.others),
    ]
  }

  private func sums(_ total: Int, _ rest: Int, _ others: Int) -> Sums {
    var sums = Sums()
    (sums.total, sums.rest, sums.others) = (total, rest, others)
    return sums
  }

  private func read(_ text: String) throws -> Sums? {
    try withByteView(of: text) { Sums(try JSONDocument($0).root) }
  }

  @Test func writes() {
    let text = JSONWriter.document { json in sums(3, 1, 2).write("sums", to: &json) }
    #expect(text.view.text == #"{"sums":{"lines":{"total":3,"rest":1},"others":2}}"# + "\n")
    let short = JSONWriter.document { json in sums(3, 0, 0).writeCounts(to: &json) }
    #expect(short.view.text == #"{"lines":{"total":3},"others":0}"# + "\n")
  }

  @Test func addsUp() {
    var sum = sums(3, 1, 2)
    sum.add(sums(10, 20, 30))
    #expect(sum == sums(13, 21, 32))
  }

  @Test func reads() throws {
    #expect(try read(#"{"others":2,"lines":{"total":3,"rest":1}}"#) == sums(3, 1, 2))
    #expect(try read(#"{"others":2,"lines":{"total":549755813888}}"#) == sums(1 << 39, 0, 2))
  }

  @Test(arguments: [
    #"{"others":2}"#, #"{"lines":{"total":3}}"#, #"{"lines":[],"others":2}"#, "[]",
    #"{"lines":{"total":-1},"others":2}"#, #"{"lines":{"total":"3"},"others":2}"#,
    #"{"lines":{"total":549755813889},"others":2}"#,
    #"{"lines":{"total":3,"rest":1.0},"others":2}"#,
  ])
  func refuses(_ text: String) throws { #expect(try read(text) == nil) }

  private struct Damage: Error, Equatable {
    let name: String
  }

  @Test func namesWhatIsDamaged() throws {
    try withByteView(of: #"{"lines":{"total":3,"rest":null},"others":2}"#) { text in
      let root = try JSONDocument(text).root
      #expect(throws: Damage(name: "lines.rest")) {
        _ = try Sums(countsOf: root) { value, name throws(Damage) in
          guard let count = value?.count else { throw Damage(name: name) }
          return count
        }
      }
    }
  }
}
