import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from './git-command.ts';

/** What stands at a path: text of a file, a link, another repository; undefined takes it away. */
export type Content = string | Buffer | { readonly link: string } | { readonly commit: string } | undefined;

/** A bare repository in a folder, written without any work tree. */
export class TestRepository {
  readonly folder: string;
  #marks = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** With settings as a server has them: blobs may be left out, objects may be asked for. */
  static async make(
    folder: string,
    settings: Readonly<Record<string, string>> = { 'uploadpack.allowFilter': 'true' },
    words: readonly string[] = [],
  ): Promise<TestRepository> {
    await mkdir(folder, { recursive: true });
    await git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', ...words, '.']);
    for (const [key, value] of Object.entries(settings)) await git(folder, ['config', key, value]);
    return new TestRepository(folder);
  }

  /** Writes a commit on a branch, over what stands there, and answers its name; without `from` it begins anew. */
  async commit(
    files: Readonly<Record<string, Content>>,
    { branch = 'main', isNew = false }: { readonly branch?: string; readonly isNew?: boolean } = {},
  ): Promise<string> {
    const reference = `refs/heads/${branch}`;
    this.#marks += 1;
    const parts: (string | Buffer)[] = [];
    const parent = isNew ? undefined : await this.find(reference);
    if (isNew) parts.push(`reset ${reference}\n\n`);
    const when = 1_760_000_000 + this.#marks;
    parts.push(
      `commit ${reference}\ncommitter Ada <ada@acme.example> ${when} +0000\n`,
      data(`change ${this.#marks}`),
    );
    if (parent !== undefined) parts.push(`from ${parent}\n`);
    for (const [path, content] of Object.entries(files)) parts.push(...lines(path, content));
    await git(
      this.folder,
      ['fast-import', '--quiet', '--force'],
      Buffer.concat(parts.map((part) => Buffer.from(part))),
    );
    return await git(this.folder, ['rev-parse', reference]);
  }

  async tag(name: string, target = 'main'): Promise<void> {
    await git(this.folder, ['tag', '--force', '--annotate', '--message', name, name, target]);
  }

  async git(...words: readonly string[]): Promise<string> {
    return await git(this.folder, words);
  }

  async find(reference: string): Promise<string | undefined> {
    return await git(this.folder, ['rev-parse', '--verify', '--quiet', reference]).catch(() => undefined);
  }

  get name(): string {
    return join(this.folder).split('/').at(-1) ?? '';
  }
}

function lines(path: string, content: Content): readonly (string | Buffer)[] {
  const quoted = JSON.stringify(path);
  if (content === undefined) return [`D ${quoted}\n`];
  if (typeof content === 'object' && 'commit' in content) return [`M 160000 ${content.commit} ${quoted}\n`];
  if (typeof content === 'object' && 'link' in content)
    return [`M 120000 inline ${quoted}\n`, data(content.link)];
  return [`M 100644 inline ${quoted}\n`, data(content)];
}

function data(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}
