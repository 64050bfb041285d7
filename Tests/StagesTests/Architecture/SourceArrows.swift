import Foundation

/// Which folder of a target uses types that another folder declares, according to its sources.
///
/// Names are compared, not meanings: a name counts for the folder that declares it at the top of a
/// file. Comments and texts do not count. Types that only one file knows do not count either.
struct SourceArrows {
  /// One use: the file, and what it uses of the other folder.
  struct Use: Hashable {
    let from: String
    let to: String
    let file: String
    let name: String
  }

  let uses: Set<Use>

  /// The arrows between the folders in `sources`, which are texts by path: `FOLDER/…/FILE.swift`.
  init(_ sources: [String: String]) {
    let plain = sources.mapValues(Self.code(of:))
    var folders: [String: String] = [:]
    for (path, text) in plain {
      for name in Self.declarations(in: text) { folders[name] = Self.folder(of: path) }
    }
    var uses: Set<Use> = []
    for (path, text) in plain {
      let from = Self.folder(of: path)
      for name in Self.words(of: text) {
        guard let to = folders[name], to != from else { continue }
        uses.insert(Use(from: from, to: to, file: path, name: name))
      }
    }
    self.uses = uses
  }

  /// The uses that `allowed`, targets by folder, does not have, in words.
  func broken(_ allowed: [String: Set<String>]) -> [String] {
    uses.filter { !(allowed[$0.from] ?? []).contains($0.to) }
      .map { "\($0.file) uses \($0.name) of \($0.to)" }.sorted()
  }

  private static func folder(of path: String) -> String {
    path.split(separator: "/").first.map(String.init) ?? ""
  }

  /// The text without comments and without the contents of string literals.
  private static func code(of text: String) -> String {
    text.replacing(#/"(\\.|[^"\\\n])*"/#, with: "").replacing(#/\/\/.*/#, with: "")
  }

  private static func declarations(in text: String) -> [String] {
    text.matches(
      of:
        #/(?m)^(?:@\w+(?:\([^)]*\))? )*(?:package |public |final |indirect )*(?:struct|class|enum|protocol|typealias) (\w+)/#
    ).map { String($0.output.1) }
  }

  private static func words(of text: String) -> Set<String> {
    Set(text.matches(of: #/\b[A-Z]\w*/#).map { String($0.output) })
  }
}
