import Pipeline
import Stages

/// The subject of a question: the keys of a person or installation, and their states.
struct Person {
  /// The published profile; nil for an unknown id.
  let profile: JSONValue?
  /// The person's own key first, then those of its installations.
  let keys: [String]
  /// By key, with all events and ids.
  let states: [KeyState]
}

extension ProfileLookup {
  /// The keys of the published `profile`, and their states, whose texts are in `texts`.
  /// - Throws: `corrupt`, `io`.
  mutating func person(_ profile: JSONValue, _ texts: TextStore) throws(Failure) -> Person {
    let section = profile["kind"]?.text == "person" ? KeySection.custom : .install
    let ids = profile["identifiers"]?["installation_ids"]?.items.compactMap(\.text) ?? []
    let keys =
      ["\(section.prefix.text)\(profile["id"]?.text ?? "")"]
      + ids.map { "\(KeySection.install.prefix.text)\($0)" }
    let states = try keys.map { key throws(Failure) in try state(of: key, texts) }
    return Person(profile: profile, keys: keys, states: states)
  }

  /// The possible owners of `id`, for which nothing is published.
  func stranger(_ id: String, _ texts: TextStore) -> Person {
    let keys = Self.keys(of: id)
    return Person(
      profile: nil, keys: keys,
      states: keys.map { key in
        let text = ByteBuffer(text: key)
        return KeyState(key: texts.store(text.view))
      })
  }

  /// The state of a key, whose texts are in `texts`; an empty one of an unknown key.
  /// - Throws: `corrupt`, `io`.
  mutating func state(of text: String, _ texts: TextStore) throws(Failure) -> KeyState {
    let key = ByteBuffer(text: text)
    var bytes = ByteBuffer()
    if let state = try whole(text) { state.append(to: &bytes) }
    var offset = 0
    return KeyState(texts.store(bytes.view), at: &offset) ?? KeyState(key: texts.store(key.view))
  }
}
