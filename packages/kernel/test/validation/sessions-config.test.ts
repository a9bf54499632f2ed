import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthProviderKind, Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { problemsOf, readSessionKeys } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { bootOptions, errorOf, smallConfig, withKernel } from '../support/test-context.ts';

const asking: AuthProviderKind = {
  kind: 'asking',
  hosts: ['registry-server'],
  identifies: true,
  config: { type: 'object', properties: { logins: { type: 'integer', default: 0 } } },
  logsIn: ({ logins }) => logins > 0,
  create: () => ({ verify: (_ctx, next) => next(), identify: () => undefined }),
};

/** An auth provider whose settings say whether people log in, and pages. */
const plugin: Plugin = {
  name: 'asking-plugin',
  apiVersion: 2,
  contributes: {
    authProviders: [asking],
    pages: [{ kind: 'board', config: { type: 'object' }, create: () => ({ open: () => ({ routes: [] }) }) }],
  },
};

const KEY = Buffer.alloc(32, 7).toString('base64');
const EXPECTED_KEYS =
  'a file with keys, one on each line: 32 random bytes in base64 (openssl rand -base64 32)';

describe('configuration key sessions', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-sessions-'));
    const files = {
      keys: `${KEY}\n${KEY}\n`,
      short: `${KEY}\nc2hvcnQ=\n`,
      empty: '\n',
      odd: `${KEY}!\n`,
      open: KEY,
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { mode: 0o600 });
    await writeFile(join(folder, 'large'), KEY.repeat(2000), { mode: 0o600 });
    await chmod(join(folder, 'open'), 0o644);
  });
  after(() => rm(folder, { recursive: true }));

  const boot = (more: Record<string, unknown>) =>
    bootOptions({
      config: {
        value: smallConfig({ auth: { mode: 'asking', asking: { logins: 1 } }, ...more }),
        directory: folder,
      },
      pluginObjects: [{ plugin }],
    });
  const pages = { board: {} };
  const server = { publicUrl: 'https://registry.acme.example' };

  for (const { title, value, problems } of [
    {
      title: 'login pages without keys and public address',
      value: { pages },
      problems: [
        'sessions.keyFile: nothing; a file with keys, since people log in on the pages',
        'server.publicUrl: nothing; the address that browsers use, since people log in on the pages',
      ],
    },
    {
      title: 'a missing key file',
      value: { pages, server, sessions: { keyFile: 'nowhere' } },
      problems: [`sessions.keyFile: "FOLDER/nowhere", which does not exist; ${EXPECTED_KEYS}`],
    },
    {
      title: 'a key that is too short',
      value: { pages, server, sessions: { keyFile: 'short' } },
      problems: [`sessions.keyFile: "FOLDER/short", whose key 2 is not 32 bytes in base64; ${EXPECTED_KEYS}`],
    },
    {
      title: 'a key with invalid characters',
      value: { sessions: { keyFile: 'odd' } },
      problems: [`sessions.keyFile: "FOLDER/odd", whose key 1 is not 32 bytes in base64; ${EXPECTED_KEYS}`],
    },
    {
      title: 'a file without keys',
      value: { sessions: { keyFile: 'empty' } },
      problems: [`sessions.keyFile: the empty file "FOLDER/empty"; ${EXPECTED_KEYS}`],
    },
    {
      title: 'a file that is not a list of keys',
      value: { sessions: { keyFile: 'large' } },
      problems: [`sessions.keyFile: "FOLDER/large", which has more than 65536 bytes; ${EXPECTED_KEYS}`],
    },
    {
      title: 'a world-readable file',
      value: { sessions: { keyFile: 'open' } },
      problems: [
        'sessions.keyFile: "FOLDER/open", which every user of this machine may open; a file that only its owner and its group may read (chmod 640, or 600)',
      ],
    },
    {
      title: 'invalid times and unknown keys',
      value: { sessions: { idle: '0s', lifetime: '0s', keyfile: 'keys' } },
      problems: [
        'sessions.keyfile: an unknown key; one of keyFile, idle, lifetime',
        'sessions.idle: "0s"; a duration above zero',
        'sessions.lifetime: "0s"; a duration above zero',
      ],
    },
  ]) {
    it(`is rejected with ${title}`, async () => {
      const error = await errorOf(() => bootKernel(boot(value)));
      const told = problemsOf(error).map(({ place, found, expected }) => `${place}: ${found}; ${expected}`);
      expect(told.map((text) => text.replaceAll(folder, 'FOLDER')).toSorted()).to.deep.equal(
        problems.toSorted(),
      );
    });
  }

  for (const { title, value } of [
    { title: 'all settings that a login needs', value: { pages, server, sessions: { keyFile: 'keys' } } },
    { title: 'no pages', value: {} },
    {
      title: 'pages and an auth provider without a configured login',
      value: { pages, auth: { mode: 'asking' } },
    },
    {
      title: 'pages and an auth provider without support for logins',
      value: { pages, auth: { mode: 'open' } },
    },
  ]) {
    it(`is valid with ${title}`, async () => {
      await withKernel(boot(value), ({ config }) => {
        expect(config.sessions).to.include({ idle: '8h', lifetime: '24h' });
      });
    });
  }

  it('returns its keys in order', () => {
    const read = readSessionKeys(join(folder, 'keys'));
    expect('keys' in read && read.keys.map((key) => key.length)).to.deep.equal([32, 32]);
  });
});
