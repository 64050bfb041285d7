package import Pipeline

/// The published value of an attribute (data-model 13.1).
package enum AttributeValue {
  /// The longest published array; longer ones are cut and counted as `array_overflow`.
  package static let maximumItems = 25

  /// The attribute has no value.
  case absent
  /// The value of the base, under the form of the base.
  case base
  /// These items, under a plain key. `overflow` is whether there were more.
  case items([ByteView], overflow: Bool)
}

extension AttributeRegister {
  /// The value of the register after `settle`.
  ///
  /// `baseItems` are the items of the base if it is an array, else nil; they are not needed without
  /// ``items``. Complexity: O(n log n) for n items and base items together.
  package func value(baseItems: [ByteView]?) -> AttributeValue {
    let hasAdd = items.contains { !$0.mark.isRemoval }
    let baseStays = items.isEmpty || (!hasAdd && base.kind == .set && baseItems == nil)
    if baseStays { return base.kind == .set ? .base : .absent }

    var published: [ByteView] = []
    var present = [Bool](repeating: false, count: items.count)
    for text in baseItems ?? [] {
      if let position = position(of: text) {
        if items[position].mark.isRemoval { continue }
        present[position] = true
      }
      published.append(text)
    }
    let added = items.indices.filter { !items[$0].mark.isRemoval && !present[$0] }
      .sorted {
        // `items` is sorted by bytes, so comparing indices compares texts.
        let (a, b) = (items[$0].mark.time, items[$1].mark.time)
        return a != b ? a < b : $0 < $1
      }
    for index in added { published.append(items[index].text) }
    if published.isEmpty { return .absent }
    let overflow = published.count > AttributeValue.maximumItems
    if overflow { published.removeLast(published.count - AttributeValue.maximumItems) }
    return .items(published, overflow: overflow)
  }

  /// The index of the mark of `text` in the sorted ``items``.
  private func position(of text: ByteView) -> Int? {
    let position = items.indices.binarySearch { items[$0].text < text }
    return position < items.count && items[position].text == text ? position : nil
  }
}
