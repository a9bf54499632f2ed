import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';
import { NODE_FILE } from './gateway-layout.ts';
import type { OwnNode } from './own-node.ts';

/**
 * Yields the gateway image's root folder as a tar archive. Streams files; unreadable ones make the iteration
 * throw.
 */
export async function* packGateway(
  node: OwnNode,
  programs: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  const { pack: createPack } = await import('tar-stream');
  const pack = createPack();
  const filled = fill(pack, node, programs).catch((error: unknown) =>
    pack.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  // tar-stream yields Buffers; its types declare only their base class
  for await (const chunk of pack as AsyncIterable<Uint8Array>) yield chunk;
  await filled;
}

async function fill(pack: Pack, node: OwnNode, programs: Readonly<Record<string, string>>): Promise<void> {
  const files: readonly (readonly [target: string, source: string])[] = [
    [NODE_FILE, node.binary],
    ...node.libraries().map((file) => [file, file] as const),
  ];
  // Leave out the folder of the sockets, which engines create: Podman would apply mode and owner from the
  // archive to its mount.
  for (const folder of foldersOf([...files.map(([target]) => target), ...Object.keys(programs)])) {
    pack.entry({ name: `${folder.slice(1)}/`, type: 'directory', mode: 0o755, mtime: EPOCH });
  }
  for (const [target, source] of files) await addFile(pack, target, source);
  for (const [file, text] of Object.entries(programs)) {
    pack.entry({ name: file.slice(1), mode: 0o644, mtime: EPOCH }, text);
  }
  pack.finalize();
}

/** Fixed time, so that images are reproducible. */
const EPOCH = new Date(0);

async function addFile(pack: Pack, target: string, source: string): Promise<void> {
  const { size } = await stat(source); // a link counts with the size of its target
  const entry = pack.entry({ name: target.slice(1), mode: 0o755, size, mtime: EPOCH });
  await pipeline(createReadStream(source, { highWaterMark: CHUNK_BYTES }), entry);
}

const CHUNK_BYTES = 1024 * 1024;

function foldersOf(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let folder = path.posix.dirname(file); folder !== '/'; folder = path.posix.dirname(folder)) {
      folders.add(folder);
    }
  }
  return [...folders].toSorted((left, right) => left.length - right.length || left.localeCompare(right));
}
