import { readdir, readFile, rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PluginContext, ReadItem, Source } from '@portolan/plugin-api';
import { createTestContext, readContext } from '@portolan/plugin-testing';
import { type GitConfig, gitSource } from '../src/index.ts';
import { gitBlock } from './git-block.ts';
import { GitServer } from './git-server.ts';
import { TestRepository } from './test-repository.ts';

/** A repository, its server and the sources that read it, all in one folder. */
export class GitBench {
  readonly folder: string;
  readonly repository: TestRepository;
  readonly server: GitServer;

  private constructor(folder: string, repository: TestRepository, server: GitServer) {
    this.folder = folder;
    this.repository = repository;
    this.server = server;
  }

  static async open(
    settings?: Readonly<Record<string, string>>,
    words?: readonly string[],
  ): Promise<GitBench> {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-git-'));
    const repository = await TestRepository.make(join(folder, 'served', 'catalogue.git'), settings, words);
    return new GitBench(folder, repository, await GitServer.start(join(folder, 'served')));
  }

  async close(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  get scratch(): string {
    return join(this.folder, 'scratch');
  }

  /** Another instance, as after a restart. */
  async source(block: Partial<GitConfig> = {}, context: Partial<PluginContext> = {}): Promise<Source> {
    const around = createTestContext({ directory: this.folder, ...context });
    return gitSource.create(gitBlock(this.server, block), around);
  }

  /** One sync: the fingerprint, the revision, and everything else that is yielded. */
  async sync(
    source: Source,
    { signal = new AbortController().signal, scratch = this.scratch }: SyncSettings = {},
  ): Promise<Synced> {
    const context = readContext(scratch);
    const fingerprint = await source.fingerprint?.(signal, context);
    const items: ReadItem[] = [];
    let revision: string | undefined;
    for await (const item of source.readEntries(signal, context)) {
      if ('revision' in item) ({ revision } = item);
      else items.push(item);
    }
    return { fingerprint, revision, items };
  }

  /** Commands of processes that are at work for these sources. */
  async processes(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const variables = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
      if (!variables.includes(this.scratch)) continue;
      found.push((await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' '));
    }
    return found;
  }
}

interface SyncSettings {
  readonly signal?: AbortSignal;
  readonly scratch?: string;
}

export interface Synced {
  readonly fingerprint: string | undefined;
  /** What the source says that it has read. */
  readonly revision: string | undefined;
  readonly items: readonly ReadItem[];
}

/** Names of the servers among what was yielded. */
export function namesOf({ items }: Synced): readonly string[] {
  return items.flatMap((item) => {
    const document: unknown = 'document' in item ? item.document : undefined;
    return typeof document === 'object' && document !== null && 'name' in document
      ? [String(document.name)]
      : [];
  });
}

/** A catalogue of servers of these names. */
export function catalogueOf(...names: readonly string[]): string {
  return JSON.stringify({ data: { servers: names.map(serverOf) } });
}

/** The document of one server. */
export function serverOf(name: string): object {
  return { name: `dev.acme/${name}`, description: `The server ${name}`, version: '1.0.0' };
}
