import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceContract } from '@portolan/plugin-testing';
import { catalogueText, ENTRIES } from './catalogue-text.ts';
import { GitServer } from './git-server.ts';
import { gitBlock } from './git-block.ts';
import { gitSource } from '../src/index.ts';
import { TestRepository } from './test-repository.ts';

describe('git source', () => {
  let folder: string;
  let repository: TestRepository;
  let server: GitServer;
  let revision: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-git-'));
    repository = await TestRepository.make(join(folder, 'catalogue.git'));
    revision = 0;
    await repository.commit({ 'registry.json': catalogueText(revision) });
    server = await GitServer.start(folder);
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  sourceContract({
    name: 'git with one file',
    kind: gitSource,
    create: (context) => gitSource.create(gitBlock(server), context),
    entries: ENTRIES,
    change: async () => {
      revision += 1;
      await repository.commit({ 'registry.json': catalogueText(revision) });
    },
    spoil: () => rm(repository.folder, { recursive: true }),
    withinMs: 30_000,
  });
});
