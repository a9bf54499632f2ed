import { createTestProxyContext, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkCedar } from '../src/cedar-authorization.ts';
import { openAuthorizer } from '../src/open-authorizer.ts';
import { ANN, Authorizer, call, configOf, exchangeWith } from './support.ts';

const times = (text: string, count: number): string => text.repeat(count);
const when = (condition: string): string => `permit(principal, action, resource) when { ${condition} };`;

/** Each of them overflows the stack of Cedar, which is not to be used any more then. */
const TOO_DEEP: Readonly<Record<string, string>> = {
  parentheses: when(`${times('(', 5000)}true${times(')', 5000)}`),
  sets: when(`${times('[', 5000)}${times(']', 5000)}.isEmpty()`),
  choices: when(`${times('if true then ', 5000)}true${times(' else false', 5000)}`),
  conditions: when(`true${times(' && true', 50_000)}`),
};

describe('Cedar engine after a crash', () => {
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });

  for (const [title, policy] of Object.entries(TOO_DEEP)) {
    it(`causes a refusal only of the text that crashes it: ${title}`, async () => {
      const authorizer = await Authorizer.open(
        configOf(['permit(principal, action, resource == Tool::"a");']),
      );
      opened.push(() => authorizer.close());
      const [problem] = checkCedar(configOf([policy]));
      expect(problem).to.include({ place: 'cedar.policies[0]', expected: 'one Cedar policy' });
      expect(problem?.found).to.match(/nested too deep/);
      expect(await authorizer.allows(call('a'))).to.equal(true);
      expect(await authorizer.allows(call('b'))).to.equal(false);
    });
  }

  it('causes a refusal of such text in entities', async () => {
    const attrs = `{"a":${times('[', 5000)}${times(']', 5000)}}`;
    const entities_json = `[{"uid":{"type":"THVGroup","id":"g"},"attrs":${attrs},"parents":[]}]`;
    const [problem] = checkCedar(configOf(['permit(principal, action, resource);'], { entities_json }));
    expect(problem?.place).to.equal('cedar.entities_json');
    const authorizer = await Authorizer.open(configOf(['permit(principal, action, resource);']));
    opened.push(() => authorizer.close());
    expect(await authorizer.allows(call('a'))).to.equal(true);
  });

  it('keeps the policies of a running workload during a hundred concurrent calls', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-broken-'));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'authz.json');
    const { path: _none, ...document } = {
      ...configOf(['permit(principal, action, resource == Tool::"a");']),
      path: '',
    };
    await writeFile(file, JSON.stringify(document));
    const remarks: string[] = [];
    const context = createTestProxyContext({ remark: (text) => remarks.push(text) });
    const workload = { ...context.workload, directory: path.join(folder, 'kept') };
    const instance = await openAuthorizer(
      { ...document, path: file },
      { ...context, workload },
      { settleMs: 10, lookMs: 50 },
    );
    opened.push(async () => await instance.close?.());
    const ask = async (tool: string): Promise<boolean> => {
      const message = call(tool, { at: Math.random() });
      return (await instance.onMessage?.(message, exchangeWith(ANN, message))) === undefined;
    };
    const calls = async (): Promise<void> => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_one, at) => ask(at % 2 === 0 ? 'a' : 'b')),
      );
      expect(answers).to.deep.equal(Array.from({ length: 100 }, (_one, at) => at % 2 === 0));
    };
    await calls();
    const broken = { ...document, cedar: { ...document.cedar, policies: [TOO_DEEP['sets']] } };
    await writeFile(file, JSON.stringify(broken));
    await eventually(async () => {
      await calls();
      expect(remarks.at(-1) ?? '').to.match(/nested too deep.*stay in force/);
    });
    await calls();
  });
});
