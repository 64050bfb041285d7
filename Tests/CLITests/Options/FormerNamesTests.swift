import TestSupport
import Testing

@testable import Jobs
@testable import eventmill

/// Names of version 0.2 work, and the present ones are said.
@Suite struct FormerNamesTests {
  @Test(arguments: [
    ("erase --ids f --out o a", "erase --requests f --out o a"),
    ("run --erase f --out o a", "run --requests f --out o a"),
    ("verify --absent=f a", "verify --requests=f a"), ("export --to o a", "export --out o a"),
    ("export --as ndjson --out o a", "export --format ndjson --out o a"),
    ("count --csv a", "count --format csv a"),
    (
      "generate --format v1 --lines 1 --users 1 --seed 1",
      "generate --dialect v1 --lines 1 --users 1 --seed 1"
    ),
    (
      "night --first 2024-06-01 --date 2024-06-02 --logs l --out o",
      "night --from-night 2024-06-01 --to-night 2024-06-02 --logs l --out o"
    ),
    (
      "merge --installations 3 --out o p",
      "cluster merge --step installations --partition 3 --out o p"
    ), ("merge --finish --out o", "cluster merge --step finish --out o"),
    ("partial --out o a", "cluster partial --out o a"),
    ("plan --tasks 2 a", "cluster plan --tasks 2 a"),
    ("mappings", "mapping list"), ("mappings segment", "mapping show segment"),
    ("inspect o u --why --logs a b", "inspect o u --why a b"),
    ("inspect o --logs a b --why u", "inspect o u --why a b"),
    ("inspect o u --history a --logs b", "inspect o u --history a b"),
    ("--installations 0 partial --out o a", "cluster partial --partition 0 --out o a"),
    ("--people 0 merge --out o p", "cluster merge --step people --partition 0 --out o p"),
  ]) func theOldNameIsTheNew(old: String, new: String) throws {
    func parsed(_ line: String) throws -> RawArguments {
      try RawArguments(line.split(separator: " ").map(String.init))
    }
    let (before, now) = (try parsed(old), try parsed(new))
    #expect(before.command == now.command && before.operands == now.operands)
    #expect(before.values.mapValues(\.words) == now.values.mapValues(\.words))
    #expect(!before.renamed.isEmpty && now.renamed.isEmpty)
  }
}
