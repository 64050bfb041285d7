import Stages
import Jobs
import Pipeline

/// Reasons or losses, the most frequent first, with examples.
struct CodeTable {
  private let codes: [TallyFacts.CodeCount]
  /// The inputs' paths, by the numbers in samples.
  private let inputs: [String]

  init(_ codes: [TallyFacts.CodeCount], of inputs: [String], top: Int = .max) {
    self.codes = Array(codes.mostFrequentFirst(by: \.count).prefix(top))
    self.inputs = inputs
  }

  /// A table called `title`, with `samples` examples of each code, after an empty line; nothing
  /// without codes.
  func parts(_ title: String, samples: Int = 1) -> [CommandResult.Part] {
    guard !codes.isEmpty else { return [] }
    let rows = codes.flatMap { code in
      code.samples.prefix(samples).enumerated().map { ($0 == 0 ? code : nil, $1) }
    }
    let table = TextTable(
      of: rows,
      [
        .text(title) { $0.0?.code.text ?? "" },
        .right("count") { $0.0.map { NumberFormat.grouped($0.count) } ?? "" },
        .location(samples == 1 ? "first at" : "at") { "\(inputs[$0.1.input]):\($0.1.line)" },
        .text("path", \.1.path),
      ])
    return [.lines([""]), .table(table)]
  }

  /// Writes the array `key`, with the first example of each code or all known ones.
  func write(_ key: StaticString, samples: Bool = false, to json: inout JSONWriter) {
    json.objects(key, of: codes) { code, json in
      json.members(["code": code.code.text, "count": code.count])
      let places = code.places(in: inputs)
      if samples { places.write("samples", to: &json) } else { places[0].write("first", to: &json) }
    }
  }
}
