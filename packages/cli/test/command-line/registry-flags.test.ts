import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Config, type Interfaces } from '@oclif/core';
import { expect } from 'chai';
import { ENVIRONMENT } from '../../src/command-line/environment-help.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Commands that read the variables of a registry's token without taking `--url`, with the reason. */
const WITHOUT_URL: ReadonlyMap<string, string> = new Map([
  ['start', 'looks no name up'],
  ['restart', 'looks no name up'],
  ['change', 'looks no name up'],
  ['config:get-registry', 'sends no request'],
  ['config:list', 'sends no request'],
]);

/** Commands that create or remove a login instead of using a token. */
const WITHOUT_TOKEN: readonly string[] = ['registry:login', 'registry:logout'];

describe('commands that send requests to a registry (N10)', function () {
  this.timeout(60_000); // loads every command
  let config: Config;
  before(async () => {
    // Our own file.
    const pjson = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as Interfaces.PJSON;
    const oclif = { ...pjson.oclif, commands: './src/commands' };
    config = await Config.load({ root: ROOT, pjson: { ...pjson, oclif }, ignoreManifest: true });
  });

  const namesIn = (id: string) => (ENVIRONMENT.get(id) ?? []).map(([name]) => name);

  it('take --url and --token-file if they read the token variables', () => {
    const flagged = config.commands.filter(({ id }) => namesIn(id).includes('PORTOLAN_TOKEN_FILE'));
    expect(flagged.length).to.be.above(20);
    for (const { id, flags } of flagged) {
      if (WITHOUT_URL.has(id)) continue;
      expect(Object.keys(flags), id).to.include.members(['url', 'token-file']);
    }
  });

  it('show the token variables in their help if they take --token-file for a registry', () => {
    const ids = config.commands.filter(({ flags }) => 'url' in flags).map(({ id }) => id);
    expect(ids).to.include.members(['run', 'plan', 'update', 'search', 'publish', 'registry:whoami']);
    for (const id of ids) {
      if (id === 'completion:names') continue; // hidden, for the shell
      const names = namesIn(id);
      expect(names, id).to.include.oneOf(['PORTOLAN_URL', 'PORTOLAN_REGISTRY_TOKEN_FILE']);
      if (!WITHOUT_TOKEN.includes(id))
        expect(names, id).to.include.members(['PORTOLAN_TOKEN_FILE', 'PORTOLAN_TOKEN']);
    }
  });
});
