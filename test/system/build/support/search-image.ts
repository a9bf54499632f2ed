import { execFile, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** Where in an image one of these texts is: its history, its description, any file of any layer. */
export async function searchImage(image: string, texts: readonly string[]): Promise<readonly string[]> {
  const run = promisify(execFile);
  const found: string[] = [];
  for (const words of [
    ['history', '--no-trunc', image],
    ['image', 'inspect', image],
  ]) {
    const { stdout } = await run('docker', words);
    found.push(...texts.filter((text) => stdout.includes(text)).map((text) => `${words.join(' ')}: ${text}`));
  }
  const saving = spawn('docker', ['save', image], { stdio: ['ignore', 'pipe', 'inherit'] });
  const longest = Math.max(...texts.map((text) => text.length));
  let rest = '';
  for await (const chunk of saving.stdout) {
    // As bytes: each is one character.
    const read = rest + (chunk as Buffer).toString('latin1');
    found.push(...texts.filter((text) => read.includes(text)).map((text) => `a layer: ${text}`));
    rest = read.slice(-longest);
  }
  return [...new Set(found)];
}

/** Files below a folder that hold one of these texts. */
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
