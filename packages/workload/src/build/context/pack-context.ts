import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { BuildFile, BuildPlan } from '@portolan/plugin-api';
import type { Pack } from 'tar-stream';
import { contextUnreadable } from '../build-errors.ts';
import type { ContextEntry } from './context-folder.ts';

/**
 * Name of Portolan's Dockerfile in a build context. No project uses this name, so it replaces no file of the
 * project.
 */
export const DOCKERFILE = 'Dockerfile.portolan';

/**
 * Yields the build context as a tar archive, file by file. Throws ERR_PACKAGE_BUILD for an unreadable file.
 */
export async function* packContext(
  plan: BuildPlan,
  entries: readonly ContextEntry[],
): AsyncGenerator<Uint8Array> {
  const { pack: createPack } = await import('tar-stream');
  const pack = createPack();
  const filled = fill(pack, plan, entries).catch((error: unknown) =>
    pack.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  // The types of tar-stream declare a base type, but it yields Buffers.
  for await (const chunk of pack as AsyncIterable<Uint8Array>) yield chunk;
  await filled;
}

async function fill(pack: Pack, plan: BuildPlan, entries: readonly ContextEntry[]): Promise<void> {
  pack.entry({ name: DOCKERFILE, mode: 0o644, mtime: EPOCH }, plan.dockerfile);
  for (const file of plan.files) await addPlanned(pack, file);
  const { folder } = plan;
  if (folder !== undefined) {
    pack.entry({ name: `${folder.path}/`, type: 'directory', mode: 0o755, mtime: EPOCH });
    for (const entry of entries) await addEntry(pack, folder.path, folder.source, entry);
  }
  pack.finalize();
}

/** Modification time of all files, so that equal content gives an equal archive. */
const EPOCH = new Date(0);

async function addPlanned(pack: Pack, file: BuildFile): Promise<void> {
  if ('content' in file) pack.entry({ name: file.path, mode: file.mode, mtime: EPOCH }, file.content);
  else await addFile(pack, file.path, file.mode, file.source);
}

async function addEntry(pack: Pack, under: string, folder: string, entry: ContextEntry): Promise<void> {
  const name = `${under}/${entry.path}`;
  if (entry.kind === 'link') {
    pack.entry({ name, type: 'symlink', linkname: entry.target, mtime: EPOCH });
    return;
  }
  try {
    await addFile(pack, name, entry.isExecutable ? 0o755 : 0o644, entry.source);
  } catch (error) {
    throw contextUnreadable(folder, error);
  }
}

async function addFile(pack: Pack, name: string, mode: number, source: string): Promise<void> {
  const { size } = await stat(source);
  await pipeline(createReadStream(source), pack.entry({ name, mode, size, mtime: EPOCH }));
}
