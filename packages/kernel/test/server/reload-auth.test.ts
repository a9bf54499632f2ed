import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type Kernel, problemsOf } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { bootOptions, errorOf, Folders, LogLines } from '../support/test-context.ts';

/** Auth providers `door` and `gate`, each of which tells of its settings and what happens to it. */
function doorPlugin(calls: string[]): Plugin {
  const providers = ['door', 'gate'].map((kind) => ({
    kind,
    hosts: ['registry-server'],
    identifies: true,
    config: {
      type: 'object',
      properties: { colour: { type: 'string', default: 'red' }, key: { type: 'string', secret: true } },
    },
    create: ({ colour }: { colour: string }) => {
      if (colour === 'none') throw new Error('there is no paint.');
      calls.push(`create ${kind} ${colour}`);
      return {
        verify: async () => undefined,
        identify: () => undefined,
        close: async () => void calls.push(`close ${kind} ${colour}`),
      };
    },
  })) as NonNullable<NonNullable<Plugin['contributes']>['authProviders']>; // blocks of these literals
  return { name: 'doors', apiVersion: 2, contributes: { authProviders: providers } };
}

const BASE = `
sources: [{ name: notes, memo: { text: hello }, syncPolicy: { interval: 5m } }]
registries: [{ name: main, sources: [notes] }]
server: { requestTimeout: 1ms }
`;

describe('Kernel.reloadAuth', () => {
  const folders = new Folders();
  let calls: string[];
  let log: LogLines;
  let file: string;
  let kernel: Kernel | undefined;
  beforeEach(() => {
    calls = [];
    log = new LogLines();
  });
  afterEach(async () => {
    await kernel?.close();
    kernel = undefined;
    await folders.removeAll();
  });
  const boot = async (text: string, name = 'portolan.config.yaml', more: Record<string, string> = {}) => {
    const folder = await folders.create({ [name]: text, 'package.json': '{"type":"module"}', ...more });
    file = join(folder, name);
    const plugin = doorPlugin(calls);
    kernel = await bootKernel(
      bootOptions({ searchFrom: folder, pluginObjects: [{ plugin }], logDestination: log }),
    );
    return kernel;
  };
  const write = async (text: string): Promise<void> => await writeFile(file, text);

  it('replaces roles and provider, and closes the old provider when no request can use it', async () => {
    const running = await boot(`${BASE}auth: { mode: door, authz: {} }`);
    const before = running.auth;
    await write(
      `${BASE}auth: { mode: gate, authz: { roles: { superAdmin: [{ org: acme }] } }, gate: { colour: blue } }`,
    );
    const { auth, ignored } = await running.reloadAuth();
    expect(running.auth).to.equal(auth).and.not.to.equal(before);
    expect(running.authProvider).to.equal(auth.provider);
    expect(auth.config.authz?.roles.superAdmin).to.deep.equal([{ org: 'acme' }]);
    expect(auth.provider.kind.kind).to.equal('gate');
    expect(ignored).to.deep.equal([]);
    expect(running.config.auth.mode, 'as at the start').to.equal('door');
    expect(calls).to.deep.equal(['create door red', 'create gate blue']);
    // Mocha's limit is the deadline.
    while (calls.length < 3) await delay(5);
    expect(calls[2]).to.equal('close door red');
    await running.close();
    expect(calls.slice(3)).to.deep.equal(['close gate blue']);
  });

  it('closes every provider at once when the kernel closes', async () => {
    const running = await boot(`${BASE.replace('1ms', '1h')}auth: { mode: door }`);
    await running.reloadAuth();
    await running.close();
    expect(calls).to.deep.equal(['create door red', 'create door red', 'close door red', 'close door red']);
  });

  it('returns the other changed keys without applying them', async () => {
    const running = await boot(`${BASE}auth: { mode: door }`);
    await write(`${BASE.replace('hello', 'bye').replace('name: main', 'name: all')}auth: { mode: door }`);
    expect((await running.reloadAuth()).ignored).to.deep.equal(['sources', 'registries']);
    expect(running.config.registries[0]?.name).to.equal('main');
  });

  it('logs the warnings of the new configuration, and masks its secrets', async () => {
    const running = await boot(`${BASE}auth: { mode: door }`);
    await write(
      `${BASE}auth: { mode: door, authz: { roles: { superAdmin: [{}] } }, door: { key: hunter2-new } }`,
    );
    await running.reloadAuth();
    running.logger.info({}, 'the key is hunter2-new');
    expect(log.text).to.include('auth.authz.roles.superAdmin[0] is an empty rule');
    expect(log.text).to.include('the key is [secret]').and.not.to.include('hunter2');
  });

  const faults = [
    { title: 'a file that is not YAML', text: 'auth: {', code: 'ERR_CONFIG_SYNTAX', says: ':1:' },
    {
      title: 'a problem in another part of the file',
      text: `${BASE}auth: { mode: door }\ndatabase: { maxOpenConns: 0 }`,
      code: 'ERR_CONFIG_INVALID',
      says: 'database.maxOpenConns',
    },
    {
      title: 'an unknown role',
      text: `${BASE}auth: { mode: door, authz: { roles: { superadmin: [] } } }`,
      code: 'ERR_CONFIG_INVALID',
      says: 'did you mean "superAdmin"?',
    },
    {
      title: 'a provider that cannot be created',
      text: `${BASE}auth: { mode: gate, gate: { colour: none } }`,
      code: 'ERR_PLUGIN_CREATE',
      says: 'could not create the auth provider "gate": there is no paint.',
    },
    {
      title: 'another list of plugins',
      text: `plugins: [./more.js]${BASE}auth: { mode: door }`,
      code: 'ERR_CONFIG_INVALID',
      says: '1:1  plugins  found others than at the start',
    },
  ];
  for (const { title, text, code, says } of faults) {
    it(`changes nothing for ${title}`, async () => {
      const more = { 'more.js': 'export default { name: "more", apiVersion: 2 };' };
      const running = await boot(`${BASE}auth: { mode: door }`, 'portolan.config.yaml', more);
      const before = running.auth;
      await write(text);
      const error = await errorOf(() => running.reloadAuth());
      expect(error.code).to.equal(code);
      expect(error.message).to.include(says);
      expect(running.auth).to.equal(before);
      expect(calls).to.deep.equal(['create door red']);
      await write(`${BASE}auth: { mode: gate }`);
      expect((await running.reloadAuth()).auth.config.mode).to.equal('gate');
    });
  }

  it('shows the position of a problem in the file', async () => {
    const running = await boot(`${BASE}auth: { mode: door }`);
    await write(`${BASE}auth:\n  mode: door\n  publicPaths: [/registry]`);
    const [problem] = problemsOf(await errorOf(() => running.reloadAuth()));
    expect(problem).to.include({ place: 'auth.publicPaths[0]', line: 7, column: 17 });
  });

  const code = (mode: string): string =>
    `import { roles } from './roles.ts';
     const mode: string = '${mode}';
     export default { sources: [{ name: 'notes', memo: { text: 'x' }, syncPolicy: { interval: '5m' } }],
       registries: [{ name: 'main', sources: ['notes'] }], auth: { mode, authz: { roles } } };`;
  const rolesFile = (org: string): string => `export const roles = { superAdmin: [{ org: '${org}' }] };`;

  it('evaluates a configuration module again with all its imports', async () => {
    const running = await boot(code('door'), 'portolan.config.ts', { 'roles.ts': rolesFile('acme') });
    await write(code('gate'));
    await writeFile(join(file, '..', 'roles.ts'), rolesFile('other'));
    const { auth } = await running.reloadAuth();
    expect(auth.config.mode).to.equal('gate');
    expect(auth.config.authz?.roles.superAdmin).to.deep.equal([{ org: 'other' }]);
  });

  for (const { title, text, code: expected, says } of [
    { title: 'throws', text: 'throw new Error("not today");', code: 'ERR_CONFIG_SYNTAX', says: 'not today' },
    {
      title: 'exports nothing',
      text: 'export const a = 1;',
      code: 'ERR_CONFIG_SYNTAX',
      says: 'no default export',
    },
    {
      title: 'ends the process',
      text: 'process.exit(3);',
      code: 'ERR_CONFIG_SYNTAX',
      says: 'ended the process with status 3',
    },
    {
      title: 'exports a function',
      text: 'export default () => 1;',
      code: 'ERR_CONFIG_INVALID',
      says: 'a function',
    },
  ]) {
    it(`changes nothing for a configuration module that ${title}`, async () => {
      const running = await boot(code('door'), 'portolan.config.ts', { 'roles.ts': rolesFile('acme') });
      await write(text);
      const error = await errorOf(() => running.reloadAuth());
      expect(error.code).to.equal(expected);
      expect(error.message).to.include(says);
      expect(running.auth.config.mode).to.equal('door');
    });
  }

  it('reads the file that the kernel was started with', async () => {
    const running = await boot(`${BASE}auth: { mode: door }`);
    await writeFile(join(file, '..', 'portolan.config.js'), 'throw new Error("read");');
    await running.reloadAuth();
    expect(running.configFile).to.equal(file);
  });

  it('runs concurrent calls one after the other', async () => {
    const running = await boot(`${BASE}auth: { mode: door }`);
    await write(`${BASE}auth: { mode: nonsense }`);
    const first = errorOf(() => running.reloadAuth());
    const second = errorOf(() => running.reloadAuth());
    expect((await Promise.all([first, second])).map((error) => error.code)).to.deep.equal([
      'ERR_CONFIG_INVALID',
      'ERR_CONFIG_INVALID',
    ]);
    await write(`${BASE}auth: { mode: gate }`);
    const all = await Promise.all([running.reloadAuth(), running.reloadAuth(), running.reloadAuth()]);
    expect(running.auth).to.equal(all[2]?.auth);
    expect(calls.filter((call) => call === 'create gate red')).to.have.length(3);
  });

  it('closes the new provider when the kernel was closed meanwhile', async () => {
    const running = await boot(`${BASE}auth: { mode: door }`);
    const reloading = running.reloadAuth();
    await running.close();
    await reloading;
    while (calls.length < 4) await delay(5);
    expect(calls.filter((call) => call.startsWith('close'))).to.have.length(2);
  });
});
