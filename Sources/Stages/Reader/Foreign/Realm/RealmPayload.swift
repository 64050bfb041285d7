import Pipeline

/// The content of `data` of an event of dialect `realm` (dialects 6): objects that were read,
/// changes that were written, or a custom value of an app.
///
/// One is made for each event; its memory is the reader's.
struct RealmPayload {
  /// The kind of its event.
  private enum Kind {
    case read, write, custom
  }

  private let kind: Kind
  private let objects: RealmObjects
  private let draft: ForeignDraft
  private var tape: Tape { draft.tape }
  private let scratch: RealmScratch

  /// The payload of the event whose `event` is at tape index `event`, if present.
  init(event: Node, objects: RealmObjects, draft: ForeignDraft, scratch: RealmScratch) {
    self.objects = objects
    self.draft = draft
    self.scratch = scratch
    switch !event.exists ? nil : draft.tape.string(at: event.index) {
    case "read": kind = .read
    case "write": kind = .write
    default: kind = .custom
    }
  }

  /// Drafts the payload at `node`, and returns its tape index; nil when nothing of it is kept.
  /// Complexity: O(bytes), sorting of fields aside.
  func draft(_ node: Int) -> Int? {
    scratch.recycle()
    // The library writes a date as text of one form.
    draft.readsDates = true
    defer { draft.readsDates = false }
    let isText = tape[node].kind == .string
    if !isText { draft.lose(.dataNotString, at: "data") }
    let value = isText ? scan(node) : node
    if kind == .custom { return draftCustom(value ?? node) }
    guard let value else { return draftOther(node, for: .payloadNotJSON) }
    guard tape[value].kind == .object else { return draftOther(node, for: .payloadShape) }
    return draftSummary(value) ?? draftOther(value, for: .payloadShape)
  }

  /// Scans the text at `node`; nil when it is not JSON. For custom events only objects are used.
  private func scan(_ node: Int) -> Int? {
    if kind == .custom, !Characters.trimmed(tape.bytes(at: node)).starts(with: "{") { return nil }
    guard case .value(let root) = Scanner.scan(textAt: node, into: tape) else { return nil }
    return root
  }

  /// Drafts an object unchanged, anything else as text.
  private func draftCustom(_ node: Int) -> Int? {
    var path = FieldPath(root: "data")
    let first = tape.count
    switch tape[node].kind {
    case .object, .string:
      guard draft.hasContent(node, names: 1) else { return nil }
      draft.append(node, names: 1, at: &path)
      if draft.isEmptyContainer(first) { return nil }
    case .array where tape[node].next == node + 1: return nil
    default: draft.appendJSON(node, at: path)
    }
    return first
  }

  /// Drafts an invalid payload of `read` or `write`. Where only counts are wanted nothing of it is
  /// kept: an invalid payload must not keep more data than a valid one.
  private func draftOther(_ node: Int, for code: ReasonCode) -> Int? {
    draft.lose(code, at: "data")
    return objects == .all ? draftCustom(node) : nil
  }

  /// Drafts a summary of the payload of `read` or `write` at `node`, an object; nil when it has
  /// another shape.
  private func draftSummary(_ node: Int) -> Int? {
    if kind == .read { return RealmRead(node, of: tape)?.append(by: draft, objects) }
    guard scratch.write.read(node, of: tape) else { return nil }
    return RealmWriteDraft(draft: draft, scratch: scratch).append(objects)
  }
}
