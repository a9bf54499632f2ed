import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ConfigBlock } from '@portolan/plugin-api';
import { expandEnvironment } from '../../src/config/expand-environment.ts';
import { SecretValues } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import {
  bootOptions,
  errorOf,
  FIXTURES,
  Folders,
  LogLines,
  smallConfig,
  withKernel,
} from '../support/test-context.ts';

const block: ConfigBlock = {
  type: 'object',
  properties: {
    plain: { type: 'string' },
    token: { type: 'string', secret: true },
    list: { type: 'array', items: { type: 'string', secret: true } },
    map: { type: 'object', additionalProperties: { type: 'string', secret: true } },
    all: { type: 'object', secret: true, properties: { inside: { type: 'string' } } },
  },
};

describe('expandEnvironment', () => {
  const folders = new Folders();
  afterEach(() => folders.removeAll());

  const expand = async (value: unknown, environment: Record<string, string> = {}, directory = FIXTURES) => {
    const secrets = new SecretValues();
    const options = { environment, directory, secrets, positionOf: () => undefined };
    return { value, secrets, problems: await expandEnvironment(value, block, ['x'], options) };
  };

  const environment = { A: 'alpha', B: 'beta', NESTED: '${A}', FILE: 'file:/etc/nothing' };
  const cases = [
    { text: 'plain text', expected: 'plain text' },
    { text: '${A}', expected: 'alpha' },
    { text: 'x${A}-${B}y', expected: 'xalpha-betay' },
    { text: '$${A}', expected: '${A}' },
    { text: '$A and $', expected: '$A and $' },
    { text: '${NESTED}', expected: '${A}' },
    { text: '${FILE}', expected: 'file:/etc/nothing' },
  ];
  for (const { text, expected } of cases) {
    it(`expands ${text} to ${expected} in a secret field`, async () => {
      const { value, problems } = await expand({ token: text }, environment);
      expect(problems).to.deep.equal([]);
      expect(value).to.deep.equal({ token: expected });
    });
  }

  it('inserts the trimmed content of a file, relative to the folder of the configuration', async () => {
    const directory = await folders.create({ 'run/token': '  s3cret value\n\n' });
    for (const text of [
      'file:run/token',
      'file:./run/token',
      `file:${join(directory, 'run/token')}`,
      'file:${RUN}/token',
    ]) {
      const { value } = await expand({ token: text }, { RUN: 'run' }, directory);
      expect(value).to.deep.equal({ token: 's3cret value' });
    }
  });

  it('expands references in lists, maps, and everything inside a secret map', async () => {
    const { value } = await expand(
      { list: ['${A}', 'b'], map: { k: '${B}' }, all: { inside: '${A}' } },
      environment,
    );
    expect(value).to.deep.equal({ list: ['alpha', 'b'], map: { k: 'beta' }, all: { inside: 'alpha' } });
  });

  it('does not expand references in other fields', async () => {
    expect((await expand({ plain: '${A} file:x' }, environment)).value).to.deep.equal({
      plain: '${A} file:x',
    });
    expect((await expand({ plain: 'file:x' }, environment)).value).to.deep.equal({ plain: 'file:x' });
  });

  it('ignores a block of an unknown kind', async () => {
    expect((await expand({ other: '${A}', token: { a: '${A}' } }, environment)).problems).to.deep.equal([]);
  });

  const faults = [
    { text: '${GONE}', found: 'a reference to GONE, which is not set' },
    { text: '${EMPTY}', found: 'a reference to EMPTY, which is not set' },
    { text: '${toString}', found: 'a reference to toString, which is not set' },
    { text: 'hunter2${A', found: 'a malformed reference' },
    { text: 'hunter2${A:-x}', found: 'a malformed reference' },
    { text: 'hunter2${}', found: 'a malformed reference' },
    { text: 'file:${GONE}', found: 'a reference to GONE, which is not set' },
    { text: 'file:gone', found: `a reference to ${join(FIXTURES, 'gone')}, which does not exist` },
    { text: 'file:.', found: 'cannot be read (EISDIR)' },
  ];
  for (const { text, found } of faults) {
    it(`reports ${text} with its place`, async () => {
      const { problems } = await expand({ token: text }, { A: 'alpha', EMPTY: '' });
      expect(problems).to.have.length(1);
      expect(problems[0]?.place).to.equal('x.token');
      expect(problems[0]?.found).to.include(found);
      expect(JSON.stringify(problems)).not.to.include('hunter2');
    });
  }

  it('reports an empty file', async () => {
    const directory = await folders.create({ token: ' \n' });
    const { problems } = await expand({ token: 'file:token' }, {}, directory);
    expect(problems[0]?.found).to.include('the empty file');
  });

  it('reports an unresolved reference as the only problem of its field', async () => {
    const memo = { text: 'a', token: '${GONE}' };
    const value = smallConfig({ sources: [{ name: 'notes', memo, syncPolicy: { interval: '1m' } }] });
    const error = await errorOf(() => bootKernel(bootOptions({ value })));
    expect(error.message).to.match(/has 1 problem\n.*sources\[0\]\.memo\.token/);
  });

  it('passes the values to the plugin, including values from overrides', async () => {
    const given = { DB: 'secretpassword', PORTOLAN_DATABASE_PASSWORD: '${DB}', T: 'abc' };
    const memo = { text: 'a', token: '${T}' };
    const value = smallConfig({ sources: [{ name: 'notes', memo, syncPolicy: { interval: '1m' } }] });
    await withKernel(bootOptions({ value, environment: given }), ({ config }) => {
      expect(config.database.password).to.equal('secretpassword');
      expect(config.sources[0]?.block).to.include({ token: 'abc' });
    });
  });
});

describe('secret values', () => {
  // Long and of a shape of its own, so that it cannot be part of a message by accident.
  const secret = fc
    .string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 30 })
    .map((text) => `§${text}§`);

  it('are masked in every problem and log line of an invalid configuration', async () => {
    await fc.assert(
      fc.asyncProperty(
        secret,
        fc.constantFrom('plain', 'variable', 'override'),
        fc.constantFrom('text', 'wrong block', 'number around', 'list around', 'syntax of the reference'),
        async (value, way, fault) => {
          const log = new LogLines();
          const text = way === 'variable' ? '${THE_SECRET}' : value.replaceAll('${', '$${');
          const memo: Record<string, unknown> = { text: 'a', token: text, headers: { h: text }, limit: 'x' };
          const database: Record<string, unknown> = { url: text, password: text };
          const config = smallConfig({
            sources: [
              { name: 'notes', memo: fault === 'wrong block' ? text : memo, syncPolicy: { interval: '1m' } },
            ],
            database: fault === 'number around' ? text : fault === 'list around' ? [text] : database,
          });
          if (fault === 'syntax of the reference') memo['token'] = `${value.replaceAll('${', '')}\${`;
          const environment = {
            THE_SECRET: value,
            ...(way === 'override'
              ? { PORTOLAN_DATABASE_URL: value, PORTOLAN_DATABASE_PASSWORD: value }
              : {}),
          };
          const error = await errorOf(() =>
            bootKernel(bootOptions({ value: config, environment, logDestination: log })),
          );
          for (const written of [error.message, JSON.stringify(error), String(error.hint), log.text]) {
            expect(written).not.to.include(value);
            expect(written).not.to.include(JSON.stringify(value).slice(1, -1));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
