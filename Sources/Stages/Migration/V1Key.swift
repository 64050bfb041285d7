import Pipeline

/// Keys of v1 user data, which say by prefixes what v2 says in other ways (data-model 3.4, 10).
enum V1Key {
  /// Takes the prefixes of a user-data key away: `u.KEY`, `ut.KEY`, `date(u.KEY)`, `url(u.KEY)`;
  /// bare `language` and `region` become the native keys. Returns whether the key names a tag
  /// collection.
  static func stripPrefix(_ key: Int, of tape: Tape) -> Bool {
    let text = tape.bytes(at: key)
    if text.starts(with: "ut.") {
      KeyName.narrow(key, to: 3..<text.count, in: tape)
      return true
    }
    if text.starts(with: "u.") {
      KeyName.narrow(key, to: 2..<text.count, in: tape)
    } else if text == "language" || text == "region" {
      tape.rewrite(key) { present, native in
        native.append(UInt8(ascii: "$"))
        native.append(present)
      }
    } else if text.starts(with: "date(u.") || text.starts(with: "url(u.") {
      tape.rewrite(key) { present, inner in
        let open = present[0] == UInt8(ascii: "d") ? 5 : 4
        inner.append(present[0..<open])
        inner.append(present.dropFirst(open + 2))
      }
    }
    return false
  }
}
