import CZstd
import Foundation
import TestSupport
import Testing

@testable import Pipeline

extension ScratchDirectory {
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8] = Array("{}\n".utf8)) throws -> String {
    try write(bytes, to: name)
  }

  func listing() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }

  /// The descriptors of this process for files in the directory.
  func openDescriptors() throws -> [Int32] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: "/proc/self/fd").filter {
      let target = try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      return target?.hasPrefix("\(path)/") == true
    }.compactMap { Int32($0) }
  }

  func writeFileWhoseNameIsNotText(in directory: String) throws {
    let path = self(directory).utf8CString.dropLast() + [0x2F, 0x6E, -1, 0]
    let file = unsafe open(Array(path), O_CREAT | O_WRONLY, 0o600)
    try #require(file >= 0)
    close(file)
  }

  func makePipe(_ name: String) -> String {
    let result = unsafe mkfifo(self(name), 0o600)
    #expect(result == 0)
    return self(name)
  }

  /// A named pipe, to which another thread writes `bytes` in parts.
  func pipe(_ name: String, _ bytes: [UInt8], part: Int) -> String {
    let path = makePipe(name)
    DispatchQueue(label: "writer").async {
      signal(SIGPIPE, SIG_IGN)
      // Closed to children: one that kept the pipe open would keep its reader waiting.
      let number = unsafe open(path, O_WRONLY | O_CLOEXEC)
      guard number >= 0 else { return }
      let handle = FileHandle(fileDescriptor: number, closeOnDealloc: true)
      for start in stride(from: 0, to: bytes.count, by: part) {
        let data = Data(bytes[start..<min(start + part, bytes.count)])
        guard (try? handle.write(contentsOf: data)) != nil else { return }
      }
    }
    return path
  }

  func compress(_ bytes: [UInt8], with tool: String) throws -> [UInt8] {
    let source = try write("to-compress-\(UUID().uuidString)", bytes)
    let input = try Descriptor(reading: source, doing: "testing")
    let output = try System.real.connection()
    let child = try ChildProcess(
      tool, ["-c"], input: input, output: output.theirs, errors: output.theirs)
    let result = output.keepOurs()
    var compressed = ByteBuffer()
    while try result.read(1 << 16, into: &compressed) > 0 {}
    #expect(try child.wait() == .exit(0))
    return compressed.view.array
  }
}

enum Program {
  static func has(_ tools: String...) -> Bool {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return tools.allSatisfy { tool in
      directories.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
  }
}

/// Bytes that do not compress.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
  var random = RepeatableRandom(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}

func zstdFrame(
  _ bytes: [UInt8], level: Int = 3, checksum: Bool = true, contentSize: Bool = true
) throws -> [UInt8] {
  let context = unsafe ZSTD_createCCtx()
  defer { unsafe ZSTD_freeCCtx(context) }
  unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(level))
  unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0)
  unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, contentSize ? 1 : 0)
  var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
  let length = unsafe ZSTD_compress2(context, &frame, frame.count, bytes, bytes.count)
  try #require(ZSTD_isError(length) == 0)
  return Array(frame.prefix(length))
}

func skippableFrame(_ count: Int) -> [UInt8] {
  [0x5E, 0x2A, 0x4D, 0x18, UInt8(count), 0, 0, 0] + [UInt8](repeating: 0x28, count: count)
}

/// What identifies the content `plain`, however it is compressed and cut into blocks.
func contentFacts(_ plain: [UInt8]) -> ContentFacts {
  func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    withByteView(of: Array(bytes)) { XXH64.hash($0) }
  }
  let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
  let start = plain.firstIndex { !blanks.contains($0) && ![0xEF, 0xBB, 0xBF].contains($0) }
  let isArray = start.map { plain[$0] == UInt8(ascii: "[") } ?? false
  let text = start.flatMap { start in
    plain[start...].firstIndex { !blanks.contains($0) && !"{[".utf8.contains($0) }
  }
  let end = plain.indices.first { index in
    (index < start ?? plain.count || text.map { $0 <= index } ?? false)
      && (plain[index] == 0x0A || plain[index] == 0x0D)
      || isArray && plain[index] == UInt8(ascii: "}")
  }
  var firstLine = Array(plain[..<(end ?? plain.count)])
  while let last = firstLine.last, blanks.contains(last) { firstLine.removeLast() }
  return ContentFacts(bytes: plain.count, xxh64: hash(plain), firstLine: hash(firstLine))
}
