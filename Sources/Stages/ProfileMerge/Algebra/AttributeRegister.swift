package import Pipeline

/// One item of an array attribute with its mark.
package struct MarkedItem {
  /// The plain text of the item.
  package let text: ByteView
  package let mark: ItemMark

  package init(text: ByteView, mark: ItemMark) {
    self.text = text
    self.mark = mark
  }
}

/// The merged knowledge of one attribute, from one or more states (data-model 13.1).
///
/// Call `merge` any number of times in any order, then `settle` once, then read. Reusable: `reset`
/// keeps the capacity.
package struct AttributeRegister {
  /// The winner of all bases merged.
  package private(set) var base = AttributeBase.none
  /// After `settle`: the effective marks, one per item, sorted by the bytes of the items.
  package private(set) var items: [MarkedItem] = []

  package init() {}

  /// Removes everything.
  package mutating func reset() {
    base = .none
    items.removeAll(keepingCapacity: true)
  }

  /// Adds a set or an unset.
  package mutating func merge(_ other: AttributeBase) {
    if other.wins(over: base) { base = other }
  }

  /// Adds an `$add` or a `$remove` of an item.
  package mutating func merge(_ item: MarkedItem) { items.append(item) }

  /// Drops what is overruled: a base older than `clear`, and marks older than `clear` or the base.
  ///
  /// This can wait until here because both thresholds only ever rise: what one merge drops, every
  /// further merge would drop as well. Complexity: O(n log n) for n items.
  package mutating func settle(clear: Int) {
    let threshold = max(clear, base.time)
    if base.time < clear { base = .none }
    items.removeAll { $0.mark.time < threshold }
    guard items.count > 1 else { return }
    items.sort {
      if $0.text != $1.text { return $0.text < $1.text }
      return $0.mark.wins(over: $1.mark)
    }
    var kept = 1
    for index in 1..<items.count where items[index].text != items[kept - 1].text {
      items[kept] = items[index]
      kept += 1
    }
    items.removeLast(items.count - kept)
  }

  /// The times of the base and of all marks.
  var seen: Seen {
    var seen = Seen.never
    if base.kind != .none { seen.merge(base.time) }
    for item in items { seen.merge(item.mark.time) }
    return seen
  }

  /// Whether nothing is left for a state to store.
  package var isForgotten: Bool { base.kind == .none && items.isEmpty }
}
