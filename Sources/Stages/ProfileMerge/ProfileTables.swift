import Pipeline

/// The states of the keys of one shard (SPEC 8), as tables of plain entries.
///
/// ```
/// profiles ── attributes ─► attributes ── items ─► items
///     │ └──── events ─────► events ────── ids ───► ids ◄── anonymous
///     └────── extra ──────► extras (clear, link)
/// ```
/// An arrow is the number of the first entry of a list; the entries of a list are linked by `next`
/// in no particular order, and the order reaches no output. Each lookup (key; profile and event name;
/// profile and attribute key; attribute and item) is one probe of a ``HashIndex``, so no list is
/// walked while operations are applied. What wins a merge is told by the types in `Algebra`.
struct ProfileTables: ~Copyable {
  /// The number that ends a list.
  static let end = UInt32.max

  var profiles = EntryTable<StoredProfile>()
  var extras = EntryTable<ProfileExtra>()
  var events = EntryTable<StoredEvent>()
  var attributes = EntryTable<StoredAttribute>()
  var items = EntryTable<StoredItem>()
  var ids = EntryTable<StoredID>()
  /// The list of the ids of anonymous events.
  var anonymousIDs = ProfileTables.end

  var profileIndex = HashIndex()
  var eventIndex = HashIndex()
  var attributeIndex = HashIndex()
  private var itemIndex = HashIndex()
  /// Key texts, item texts, custom ids of links.
  var texts = Arena()
  /// Attribute and event values, overwritten in place.
  var values = Arena()

  /// The profile of `key`, made when there is none.
  mutating func profile(_ key: ByteView, hash: UInt64) -> UInt32 {
    let (number, isNew) = profileIndex.findOrInsert(hash, profiles.next) {
      profiles[$0].hash == hash && texts[profiles[$0].key] == key
    }
    if isNew { profiles.append(StoredProfile(hash: hash, key: texts.store(key))) }
    return number
  }

  /// The register of the event `name` of `profile`, made when there is none.
  mutating func event(of profile: UInt32, name: UInt32) -> UInt32 {
    let (number, isNew) = eventIndex.findOrInsert(Self.mix(profile, name), events.next) {
      events[$0].profile == profile && events[$0].name == name
    }
    if isNew {
      events.append(StoredEvent(profile: profile, name: name, next: profiles[profile].events))
      profiles[profile].events = number
    }
    return number
  }

  /// The register of the attribute `name` of `profile`, made when there is none.
  mutating func attribute(of profile: UInt32, name: UInt32) -> UInt32 {
    let (number, isNew) = attributeIndex.findOrInsert(Self.mix(profile, name), attributes.next) {
      attributes[$0].profile == profile && attributes[$0].name == name
    }
    if isNew {
      attributes.append(
        StoredAttribute(profile: profile, name: name, next: profiles[profile].attributes))
      profiles[profile].attributes = number
    }
    return number
  }

  /// Merges `count` events seen at `seen`, the latest with `value`, into a register.
  mutating func mergeEvent(_ number: UInt32, count: Int, seen: Seen, value: ByteView) {
    let old = events[number]
    let wins =
      old.seen.isNever
      || EventRegister.valueWins(
        value, at: seen.last, over: values[old.value], at: old.seen.last)
    if wins {
      var slot = old.value
      values.overwrite(&slot, with: value)
      events[number].value = slot
    }
    events[number].count += count
    events[number].seen.merge(seen)
  }

  /// Merges a set or an unset into a register.
  mutating func mergeBase(_ number: UInt32, _ base: AttributeBase) {
    guard base.wins(over: self.base(of: attributes[number])) else { return }
    var slot = attributes[number].value
    values.overwrite(&slot, with: base.value)
    attributes[number].value = slot
    attributes[number].time = base.time
    attributes[number].kind = base.kind
    attributes[number].form = base.form
  }

  /// The base of a register, with a view of its value.
  func base(of entry: StoredAttribute) -> AttributeBase {
    AttributeBase(
      time: entry.time, kind: entry.kind, form: entry.form, value: values[entry.value])
  }

  /// Merges the mark of an item into a register.
  mutating func mergeItem(_ attribute: UInt32, _ text: ByteView, _ mark: ItemMark) {
    let hash = XXH64.hash(text, seed: UInt64(attribute))
    let (number, isNew) = itemIndex.findOrInsert(hash, items.next) {
      items[$0].attribute == attribute && texts[items[$0].text] == text
    }
    if isNew {
      items.append(
        StoredItem(
          attribute: attribute, text: texts.store(text), mark: mark,
          next: attributes[attribute].items))
      attributes[attribute].items = number
    } else if mark.wins(over: items[number].mark) {
      items[number].mark = mark
    }
  }

  /// Merges a clear.
  mutating func mergeClear(_ profile: UInt32, at time: Int) {
    let number = extra(of: profile)
    if time > extras[number].clear { extras[number].clear = time }
  }

  /// Merges a link of an installation.
  mutating func mergeLink(_ profile: UInt32, _ link: InstallationLink) {
    let number = extra(of: profile)
    if let known = self.link(of: profile), !link.wins(over: known) { return }
    var slot = extras[number].customID
    texts.overwrite(&slot, with: link.customID)
    extras[number].customID = slot
    extras[number].linkTime = link.time
    extras[number].hasLink = true
  }

  /// The link of an installation, if it has one.
  func link(of profile: UInt32) -> InstallationLink? {
    let number = profiles[profile].extra
    guard number != Self.end, extras[number].hasLink else { return nil }
    return InstallationLink(
      time: extras[number].linkTime, customID: texts[extras[number].customID])
  }

  /// The clear of a profile; the least time there is when it has none.
  func clear(of profile: UInt32) -> Int {
    let number = profiles[profile].extra
    return number == Self.end ? .min : extras[number].clear
  }

  /// Whether a profile is known by more than a link (SPEC 8.4): only then it is published.
  func isKnown(_ profile: UInt32) -> Bool {
    profiles[profile].isTouched || !profiles[profile].seen.isNever
  }

  /// Keeps the id of an event for the state; `register` is the event's, or nil when anonymous.
  mutating func keep(_ id: Fingerprint, name: UInt32, time: Int, register: UInt32?) {
    let number = ids.next
    if let register {
      ids.append(StoredID(id: id, time: time, name: name, next: events[register].ids))
      events[register].ids = number
    } else {
      ids.append(StoredID(id: id, time: time, name: name, next: anonymousIDs))
      anonymousIDs = number
    }
  }

  private mutating func extra(of profile: UInt32) -> UInt32 {
    let number = profiles[profile].extra
    if number != Self.end { return number }
    let new = extras.next
    extras.append(ProfileExtra())
    profiles[profile].extra = new
    return new
  }

  /// A hash of two numbers.
  static func mix(_ a: UInt32, _ b: UInt32) -> UInt64 {
    let product = (UInt64(a) << 32 | UInt64(b)) &+ 0x9E37_79B9_7F4A_7C15
    let wide = product.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return wide.high ^ wide.low
  }
}
