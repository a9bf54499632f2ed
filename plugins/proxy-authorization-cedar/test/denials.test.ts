import { expect } from 'chai';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Denial } from '@portolan/plugin-api';
import { DenialBook } from '../src/denials/denial-book.ts';
import { shownValues } from '../src/decisions/shown-values.ts';
import { Authorizer, call, configOf, request } from './support.ts';

describe('explanation of a denial', () => {
  let authorizer: Authorizer | undefined;
  afterEach(async () => {
    await authorizer?.close();
    authorizer = undefined;
  });

  const because = async (
    policies: readonly string[],
    asked = call('refund', { n: 5, token: 'x' }),
    more = {},
  ) => {
    authorizer = await Authorizer.open(configOf(policies, more));
    const denial = await authorizer.because(asked);
    return denial;
  };

  it('names the forbid policy that matched', async () => {
    const forbid = '@id("no-refunds")\nforbid(principal, action, resource == Tool::"refund");';
    const denial = await because(['permit(principal, action, resource);', forbid]);
    expect(denial).to.deep.include({
      caller: 'ann',
      kind: 'cedar',
      workload: 'test-workload',
      asked: 'tools/call of Tool::"refund"',
      because: ['It is forbidden by cedar.policies[1] (no-refunds).'],
      policy: { place: 'cedar.policies[1]', text: forbid },
    });
  });

  it("states that the caller's token has no groups when Entra left them out (group overage)", async () => {
    authorizer = await Authorizer.open(
      configOf(['permit(principal in THVGroup::"analysts", action, resource);']),
    );
    const claims = { sub: 'ann', iss: 'https://issuer.example', _claim_names: { groups: 'src1' } };
    const { because: sentences } = await authorizer.because(call('refund'), { subject: 'ann', claims });
    expect(sentences.at(-1)).to.match(/^The token has no groups: it has _claim_names instead/);
  });

  it('names the policy that failed', async () => {
    const denial = await because([
      'permit(principal, action, resource);',
      'permit(principal, action, resource) when { context.arg_n < 6 };',
    ]);
    expect(denial.because.join()).to.match(
      /^An error denies.*cedar\.policies\[1\]: type error: expected long/,
    );
    expect(denial.policy?.place).to.equal('cedar.policies[1]');
  });

  it('names the closest permit policy, and which part of it does not match', async () => {
    const permits = [
      'permit(principal == Client::"bob", action == Action::"get_prompt", resource);',
      'permit(principal in THVGroup::"analysts", action == Action::"call_tool", resource == Tool::"forecast");',
      'permit(principal is Client in THVGroup::"others", action in [Action::"read_resource"], resource);',
    ];
    const denial = await because(permits);
    expect(denial.because).to.deep.equal([
      'No policy permits it. Closest is cedar.policies[1].',
      'It is not about the resource Tool::"refund".',
    ]);
  });

  it('names the first false part of the condition of the closest permit policy', async () => {
    const denial = await because([
      'permit(principal, action, resource) when { context has arg_n && context.arg_n.lessThan(decimal("5.0")) };',
    ]);
    expect(denial.because[1]).to.equal(
      'Its condition does not hold: when { context.arg_n.lessThan(decimal("5.0")) }.',
    );
    await authorizer?.close();
    const unless = await because([
      'permit(principal, action, resource) when { principal has claim_sub } unless { principal.claim_sub == "ann" };',
    ]);
    expect(unless.because[1]).to.equal(
      'Its condition does not hold: unless { principal.claim_sub == "ann" }.',
    );
  });

  it('resolves groups of groups', async () => {
    const entities = [
      { uid: { type: 'THVGroup', id: 'analysts' }, parents: [{ type: 'THVGroup', id: 'all' }] },
    ];
    const denial = await because(
      ['permit(principal in THVGroup::"all", action, resource) when { false };'],
      call('a'),
      { entities_json: JSON.stringify(entities) },
    );
    expect(denial.because[1]).to.equal('Its condition does not hold: when { false }.');
  });

  it('states when nothing permits anything, and when no policy was evaluated', async () => {
    const denial = await because(['forbid(principal, action, resource) when { false };']);
    expect(denial.because).to.deep.equal(['No policy permits anything.']);
    for (const [method, said] of [
      ['roots/list', 'No policy can allow this method.'],
      ['tasks/list', 'Lists of tasks are not allowed here (list_tasks).'],
    ] as const) {
      const other = await authorizer?.because(request(method));
      expect(other).to.deep.include({ asked: method, because: [said], saw: {} });
    }
  });

  it('contains what policies saw, with masked secrets, up to the size of audit data', async () => {
    const args = { n: 5, token: 'abc', note: 'Bearer abcdefgh', long: 'x'.repeat(5000), late: 'y' };
    const denial = await because(['forbid(principal, action, resource);'], call('refund', args));
    expect(denial.saw).to.deep.include({
      claim_sub: 'ann',
      arg_n: 'decimal("5.0000")',
      arg_token: '[secret]',
      arg_note: '[secret]',
      arg_long: '[cut]',
    });
    expect(JSON.stringify(denial).length).to.be.below(4000);
    const huge = 'x'.repeat(1_000_000);
    const other = await authorizer?.because(call(huge, { [huge]: huge, [`${huge}y`]: 1 }));
    expect(JSON.stringify(other).length).to.be.below(6000);
  });

  it('truncates texts of megabytes unread, and searches claims in linear time', async () => {
    const words = 'eyJ'.repeat(400_000);
    const address = `https://${':a'.repeat(400_000)}`;
    const denial = await because(
      ['forbid(principal, action, resource);'],
      call('refund', { n: 5, address, words, token: `${words}.${words}.`, login: `${address}@` }),
    );
    expect(denial.saw).to.deep.include({ arg_address: '[cut]', arg_n: 'decimal("5.0000")' });
    expect(shownValues({ token: 'x', a: `${words}.${words}.`, b: `${address}@` })).to.deep.equal({
      token: '[secret]',
      a: '[cut]',
      b: '[cut]',
    });
    expect(shownValues({ nested: { a: `${words}.${words}.`, b: `${address}@` } })).to.deep.equal({
      nested: { a: '[secret]', b: '[secret]' },
    });
  });

  const values: readonly (readonly [value: Readonly<Record<string, unknown>>, shown: unknown])[] = [
    [{ API_KEY: 'a' }, { API_KEY: '[secret]' }],
    [{ hasToken: true }, { hasToken: true }],
    [
      { a: { 'pass-word': 'x', b: ['https://u:p@a.example'] } },
      { a: { 'pass-word': '[secret]', b: ['[secret]'] } },
    ],
    [
      { jwt: 'x', text: 'eyJhbGciOi.eyJzdWIi.sig' },
      { jwt: '[secret]', text: '[secret]' },
    ],
  ];
  for (const [value, shown] of values) {
    it(`shows ${JSON.stringify(value)} as ${JSON.stringify(shown)}`, () => {
      expect(shownValues(value)).to.deep.equal(shown);
    });
  }
});

describe('DenialBook', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-denials-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const denial = (id: number): Denial => ({
    id: String(id),
    at: '2026-01-01T00:00:00.000Z',
    workload: 'w',
    kind: 'cedar',
    asked: 'x',
    because: [],
    saw: {},
  });
  const linesIn = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n');

  it('keeps the latest thousand denials with owner permissions, including concurrent ones', async () => {
    const directory = path.join(folder, 'deep', 'kept');
    const file = path.join(directory, 'denials.jsonl');
    const book = new DenialBook(directory);
    await Promise.all(Array.from({ length: 900 }, async (_none, id) => book.note(denial(id))));
    for (let id = 900; id < 2100; id += 1) await book.note(denial(id));
    await book.close();
    const ids = (await linesIn(file)).map((line) => Number(JSON.parse(line).id));
    expect(ids.slice(-1000)).to.deep.equal(Array.from({ length: 1000 }, (_none, at) => 1100 + at));
    expect(ids.length).to.be.at.most(2000);
    expect([(await stat(file)).mode & 0o777, (await stat(directory)).mode & 0o777]).to.deep.equal([
      0o600, 0o700,
    ]);
    // Another process goes on in it.
    const next = new DenialBook(directory);
    await next.note(denial(7));
    expect((await linesIn(file)).at(-1)).to.include('"id":"7"');
  });

  it('rejects when the file cannot be written, and continues once it can', async () => {
    await writeFile(path.join(folder, 'kept'), 'a file stands there');
    const book = new DenialBook(path.join(folder, 'kept'));
    const failed = await book.note(denial(1)).then(
      () => 'written',
      () => 'failed',
    );
    expect(failed).to.equal('failed');
    await rm(path.join(folder, 'kept'));
    await book.note(denial(2));
    expect(await linesIn(path.join(folder, 'kept', 'denials.jsonl'))).to.have.length(1);
  });

  it('loses no other denial after a crash or a full disk left an incomplete line', async () => {
    const file = path.join(folder, 'denials.jsonl');
    await writeFile(file, `${JSON.stringify(denial(1))}\n{"id":"2","at":"20`);
    const book = new DenialBook(folder);
    await book.note(denial(3));
    await book.note(denial(4));
    const ids = (await linesIn(file)).flatMap((line) => {
      try {
        return [Number(JSON.parse(line).id)];
      } catch {
        return [];
      }
    });
    expect(ids).to.deep.equal([1, 3, 4]);
  });
});
