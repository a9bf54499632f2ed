import { type Plugin, PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ConfigProblem } from '../../src/faults/config-problem.ts';
import { problemsOf, warningsOf } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { checkConfig } from '../../src/validation/check-config.ts';
import { bootOptions, errorOf, Folders, smallConfig } from '../support/test-context.ts';

type Check = (config: object, context: { readonly directory: string }) => unknown;

/** A source kind `wiki`, an auth provider `door` and a middleware `audit` that check by the same function. */
function checkingPlugin(check: Check): Plugin {
  const head = {
    config: {
      type: 'object',
      properties: {
        space: { type: 'string', minLength: 1, default: 'HOME' },
        token: { type: 'string', secret: true },
        pages: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
    },
    check,
    create: () => expect.fail('created'),
  } as const;
  const contributes = {
    sources: [{ ...head, kind: 'wiki', claimsFrom: 'source' }],
    authProviders: [{ ...head, kind: 'door', hosts: ['registry-server'], identifies: true }],
    middleware: [
      { ...head, kind: 'audit', hosts: ['registry-server'], placed: { before: 'authenticate' } },
      { ...head, kind: 'other', hosts: ['registry-server'], placed: { before: 'authenticate' } },
    ],
  };
  // What `check` answers is what these tests are about.
  return { name: 'checking', apiVersion: 2, contributes } as unknown as Plugin;
}

const problem = (place = 'space') => ({ place, found: 'one thing', expected: 'another' });
const wiki = (block: object = {}) => ({ name: 'notes', wiki: block, syncPolicy: { interval: '5m' } });

describe('checkByKind', () => {
  const folders = new Folders();
  afterEach(() => folders.removeAll());

  const fault = (check: Check, value: unknown = smallConfig({ sources: [wiki()] }), more: object = {}) =>
    errorOf(() =>
      checkConfig(bootOptions({ value, pluginObjects: [{ plugin: checkingPlugin(check) }], ...more })),
    );

  async function problemsIn(
    check: Check,
    value?: unknown,
    more: object = {},
  ): Promise<readonly ConfigProblem[]> {
    const error = await fault(check, value, more);
    expect(error.code).to.equal('ERR_CONFIG_INVALID');
    return problemsOf(error);
  }

  it('returns warnings with their place, and does not reject the configuration for them', async () => {
    const warning = { ...problem(), isWarning: true };
    const { warnings } = await checkConfig(
      bootOptions({
        value: smallConfig({ sources: [wiki()] }),
        pluginObjects: [{ plugin: checkingPlugin(() => [warning]) }],
      }),
    );
    expect(warnings).to.include('sources[0].wiki.space: found one thing; expected another');
    const refused = await fault(() => [warning, problem('pages')], smallConfig({ sources: [wiki()] }));
    expect(problemsOf(refused)).to.deep.equal([
      { place: 'sources[0].wiki.pages', found: 'one thing', expected: 'another' },
    ]);
    // All at once: who mends the problem has seen the warning, too.
    expect(warningsOf(refused)).to.deep.equal(['sources[0].wiki.space: found one thing; expected another']);
    expect(refused.message).to.match(
      /\nwarning: sources\[0\]\.wiki\.space: found one thing; expected another$/,
    );
  });

  it('calls the check for every block in use, with its defaults and the folder of the configuration', async () => {
    const asked: unknown[] = [];
    const directory = await folders.create({});
    const value = smallConfig({
      sources: [wiki({ space: 'TOOLS' })],
      auth: { mode: 'door' },
      audit: {},
      middleware: { other: { space: 'X' } },
    });
    const pluginObjects = [
      {
        plugin: checkingPlugin((config, context) => {
          asked.push([config, context]);
          return [];
        }),
      },
    ];
    await checkConfig(bootOptions({ config: { value, directory }, pluginObjects }));
    const hostContext = { directory, trustsLoopback: true };
    expect(asked).to.deep.equal(['TOOLS', 'HOME', 'HOME', 'X'].map((space) => [{ space }, hostContext]));
  });

  it('calls the check only for blocks that match their schema', async () => {
    const value = smallConfig({ sources: [wiki({ space: '' }), { ...wiki(), name: 'second' }] });
    const problems = await problemsIn(() => [problem()], value);
    expect(problems.map(({ place, found }) => [place, found])).to.deep.equal([
      ['sources[0].wiki.space', '""'],
      ['sources[1].wiki.space', 'one thing'],
    ]);
  });

  it('sorts its problems among all others in the order of the file, with line and column', async () => {
    const text = [
      'sources:',
      '  - name: notes',
      '    wiki: { pages: [{ name: a }, { name: b }] }',
      '    syncPolicy: { interval: 0s }',
      'registries: [{ name: main, sources: [other] }]',
      'auth: { mode: door, door: {} }',
      'audit: {}',
      '',
    ].join('\n');
    const directory = await folders.create({ 'portolan.config.yaml': text });
    const check: Check = (config) =>
      'pages' in config ? [problem('pages[1].name'), problem('')] : [problem()];
    const more = { configFile: `${directory}/portolan.config.yaml`, value: undefined };
    const problems = await problemsIn(check, undefined, more);
    expect(problems.map(({ place, line, column }) => [place, line, column])).to.deep.equal([
      ['sources[0].wiki', 3, 5],
      ['sources[0].wiki.pages[1].name', 3, 36],
      ['sources[0].syncPolicy.interval', 4, 19],
      ['registries[0].sources[0]', 5, 38],
      ['auth.door.space', 6, 21],
      ['audit.space', 7, 1],
    ]);
  });

  it('shows that a rejected value is a default', async () => {
    const check: Check = () => [{ ...problem(), found: '"HOME"' }];
    const found = async (block: object) =>
      (await problemsIn(check, smallConfig({ sources: [wiki(block)] }))).map((one) => one.found);
    expect(await found({})).to.deep.equal(['nothing, which stands for "HOME"']);
    expect(await found({ space: 'HOME' })).to.deep.equal(['"HOME"']);
  });

  it('returns suggestions, and the origin of a value that is not in the file', async () => {
    const check: Check = () => [{ ...problem(), didYouMean: 'HOUSE' }];
    const value = smallConfig({ sources: [wiki()], auth: { mode: 'door', door: { space: 'A' } } });
    const [first, second] = await problemsIn(check, value, {
      environment: { PORTOLAN_AUTH_DOOR_SPACE: 'B' },
    });
    expect(first).to.include({ place: 'auth.door.space', didYouMean: 'HOUSE' });
    expect(first?.found).to.include('PORTOLAN_AUTH_DOOR_SPACE');
    expect(second).to.deep.equal({
      place: 'sources[0].wiki.space',
      found: 'one thing',
      expected: 'another',
      didYouMean: 'HOUSE',
    });
  });

  it('keeps the block unchanged when the check modifies it', async () => {
    const seen: unknown[] = [];
    const check: Check = (config) => {
      seen.push(structuredClone(config));
      Reflect.set(config, 'space', 'CHANGED');
      return [];
    };
    const value = smallConfig({ sources: [wiki({ space: 'TOOLS' })] });
    const { config } = await checkConfig(
      bootOptions({ value, pluginObjects: [{ plugin: checkingPlugin(check) }] }),
    );
    expect(seen).to.deep.equal([{ space: 'TOOLS' }]);
    expect(config.sources[0]?.block).to.deep.equal({ space: 'TOOLS' });
  });

  it('reports one problem for a place with an unresolved reference', async () => {
    const value = smallConfig({ sources: [wiki({ token: '${NOT_SET}' })] });
    const problems = await problemsIn(() => [problem('token'), problem('space')], value);
    expect(problems.map(({ place, found }) => `${place}: ${found}`)).to.deep.equal([
      'sources[0].wiki.space: one thing',
      'sources[0].wiki.token: a reference to NOT_SET, which is not set',
    ]);
  });

  it('masks secrets in problems of a kind', async () => {
    const value = smallConfig({ sources: [wiki({ token: '${TOKEN}' })] });
    const more = { environment: { TOKEN: 'hunter2-hunter2' } };
    const check: Check = (config) => {
      const token = String(Reflect.get(config, 'token'));
      return [{ place: 'token', found: token, expected: `no ${token}`, didYouMean: token }];
    };
    const [first] = await problemsIn(check, value, more);
    expect(first).to.include({ found: '[secret]', expected: 'no [secret]', didYouMean: '[secret]' });
    for (const bad of [
      (config: object) => {
        throw new Error(`no ${String(Reflect.get(config, 'token'))}`);
      },
      (config: object) => [{ place: String(Reflect.get(config, 'token')) }],
    ]) {
      const error = await fault(bad, value, more);
      expect(error.code).to.equal('ERR_PLUGIN_CHECK');
      expect(error.message).not.to.include('hunter2');
    }
  });

  const thrown: Check = () => {
    throw new PortolanError('ERR_WIKI', 'fault', 'The wiki is odd.', { hint: 'Use another.' });
  };
  const bad: readonly { title: string; check: Check; says: string }[] = [
    { title: 'throws', check: thrown, says: 'failed in "check" of its kind "wiki": The wiki is odd.' },
    { title: 'returns nothing', check: () => undefined, says: 'returned nothing.' },
    { title: 'returns a map', check: () => ({}), says: 'returned a map.' },
    { title: 'returns a promise', check: async () => [], says: 'returned a promise.' },
    {
      title: 'returns a promise that rejects',
      check: async () => {
        throw new Error('nobody waits for it');
      },
      says: 'returned a promise.',
    },
    { title: 'returns a string as a problem', check: () => ['x'], says: 'returned "x" as problem [0].' },
    {
      title: 'returns a problem without a place',
      check: () => [problem(), { ...problem(), place: undefined }],
      says: 'returned problem [1] with nothing as "place".',
    },
    {
      title: 'returns an invalid place',
      check: () => [problem('pages[x]')],
      says: 'returned problem [0] with "pages[x]" as "place".',
    },
    {
      title: 'returns a problem without found',
      check: () => [{ ...problem(), found: 3 }],
      says: 'with 3 as "found".',
    },
    {
      title: 'returns a problem without expected',
      check: () => [{ ...problem(), expected: null }],
      says: 'with nothing (null) as "expected".',
    },
    {
      title: 'returns an invalid didYouMean',
      check: () => [{ ...problem(), didYouMean: [] }],
      says: 'with a list as "didYouMean".',
    },
    {
      title: 'returns an object whose getter throws',
      check: () => [Object.defineProperty({}, 'place', { get: thrown as () => unknown })],
      says: 'The wiki is odd.',
    },
  ];
  for (const { title, check, says } of bad) {
    it(`names the plugin when its check ${title}`, async () => {
      const error = await fault(check);
      expect(error.code).to.equal('ERR_PLUGIN_CHECK');
      expect(error.message).to.include('"checking"').and.to.include('"check" of its kind "wiki"');
      expect(error.message).to.include(says).and.not.to.match(/\.\.$/);
      expect(error.hint).to.be.a('string').with.length.above(10);
    });
  }

  it('stops the start before anything is created', async () => {
    const options = bootOptions({
      value: smallConfig({ sources: [wiki()] }),
      pluginObjects: [{ plugin: checkingPlugin(() => [problem()]) }],
    });
    expect((await errorOf(() => bootKernel(options))).code).to.equal('ERR_CONFIG_INVALID');
  });
});
