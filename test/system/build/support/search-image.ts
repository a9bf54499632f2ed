import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** Returns where the history or the description of an image contains one of these texts. */
export async function searchDescription(image: string, texts: readonly string[]): Promise<readonly string[]> {
  const run = promisify(execFile);
  const found: string[] = [];
  for (const words of [
    ['history', '--no-trunc', image],
    ['image', 'inspect', image],
  ]) {
    const { stdout } = await run('docker', words);
    found.push(...texts.filter((text) => stdout.includes(text)).map((text) => `${words.join(' ')}: ${text}`));
  }
  return found;
}

/** Returns which of these texts any file in any layer of the images contains. Shared layers are read once. */
export async function searchLayers(
  images: readonly string[],
  texts: readonly string[],
): Promise<readonly string[]> {
  const saving = spawn('docker', ['save', ...images], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(saving, 'close');
  const wanted = texts.map((text) => Buffer.from(text, 'latin1'));
  const longest = Math.max(...wanted.map((text) => text.length));
  const found = new Set<string>();
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of saving.stdout) {
    const read = Buffer.concat([rest, chunk as Buffer]); // SAFETY: a pipe without an encoding returns bytes.
    for (const [at, text] of texts.entries()) if (read.includes(wanted[at] ?? '')) found.add(text);
    rest = read.subarray(-longest);
  }
  const [status]: unknown[] = await ended;
  if (status !== 0) throw new Error(`docker save ended with status ${String(status)}`);
  return [...found];
}

/** Returns the files below a folder that contain one of these texts. */
export async function searchFolder(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const found: string[] = [];
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name);
    const content = await readFile(file, 'latin1');
    if (texts.some((text) => content.includes(text))) found.push(file);
  }
  return found;
}
