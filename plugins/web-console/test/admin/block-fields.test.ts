import { expect } from 'chai';
import { mayEcho, readBlock, typedOf } from '../../src/admin/sources/block-fields.ts';
import { nearestField } from '../../src/admin/forms/problems.ts';

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    path: text,
    types: { type: 'array', items: text },
    most: { type: 'integer' },
    allow: { type: 'boolean' },
    mode: { type: 'string', enum: ['a', 'b'] },
    auth: { type: 'object', properties: { token: { ...text, writeOnly: true } } },
  },
};

describe('the fields of a block', () => {
  const cases = [
    { key: 'path', typed: ' ./x.json ', value: './x.json' },
    { key: 'types', typed: 'a\r\n\r\n b ', value: ['a', 'b'] },
    { key: 'most', typed: '12', value: 12 },
    { key: 'most', typed: '-1.5', value: -1.5 },
    { key: 'most', typed: '1e9', value: '1e9' },
    { key: 'allow', typed: 'true', value: true },
    { key: 'allow', typed: 'false', value: false },
    { key: 'mode', typed: 'b', value: 'b' },
    { key: 'auth', typed: '{"token": "x"}', value: { token: 'x' } },
  ] as const;
  for (const { key, typed, value } of cases) {
    it(`read ${JSON.stringify(typed)} in ${key}`, () => {
      const { block, problems } = readBlock(schema, new URLSearchParams({ [`block.${key}`]: typed }));
      expect(block).to.deep.equal({ [key]: value });
      expect(problems.size).to.equal(0);
    });

    it(`show again what ${JSON.stringify(typed)} in ${key} has become`, () => {
      const shown = typedOf(schema.properties[key], value);
      const { block } = readBlock(schema, new URLSearchParams({ [`block.${key}`]: shown }));
      expect(block).to.deep.equal({ [key]: value });
    });
  }

  it('leave out what is empty, and what the kind does not have', () => {
    const form = new URLSearchParams({ 'block.path': ' ', 'block.other': 'x', other: 'y' });
    expect(readBlock(schema, form).block).to.deep.equal({});
  });

  it('tell of JSON that is none at its field', () => {
    const { block, problems } = readBlock(schema, new URLSearchParams({ 'block.auth': '{' }));
    expect(block).to.deep.equal({});
    expect([...problems.keys()]).to.deep.equal(['block.auth']);
  });
});

describe('mayEcho', () => {
  const secret = { type: 'string', writeOnly: true };
  const cases = [
    { title: 'what is never secret', schema: text, typed: 'x', expected: true },
    { title: 'a secret', schema: secret, typed: 'x', expected: false },
    { title: 'a map with a secret in it', schema: schema.properties.auth, typed: '{}', expected: false },
    {
      title: 'a map of secrets',
      schema: { type: 'object', additionalProperties: secret },
      typed: '{}',
      expected: false,
    },
    { title: 'a list of secrets', schema: { type: 'array', items: secret }, typed: 'a', expected: false },
    { title: 'a plain address', schema: secret, typed: ' https://files.example/x.json ', expected: true },
    {
      title: 'an address with a password',
      schema: secret,
      typed: 'https://a:b@files.example/',
      expected: false,
    },
    { title: 'an address with a user', schema: secret, typed: 'https://a@files.example/', expected: false },
    {
      title: 'an address with a query',
      schema: secret,
      typed: 'https://files.example/?key=1',
      expected: false,
    },
    {
      title: 'an address with a fragment',
      schema: secret,
      typed: 'https://files.example/#1',
      expected: false,
    },
    {
      title: 'an address with a reference',
      schema: secret,
      typed: 'https://files.example/${KEY}',
      expected: false,
    },
    { title: 'another scheme', schema: secret, typed: 'ftp://files.example/', expected: false },
  ];
  for (const { title, schema: one, typed, expected } of cases) {
    it(`is ${expected} of ${title}`, () => {
      expect(mayEcho(one, typed)).to.equal(expected);
    });
  }
});

describe('nearestField', () => {
  const fields = new Map([
    ['git.auth', 'block.auth'],
    ['filter.names.include', 'filter.names.include'],
    ['claims', 'claims'],
  ]);
  const cases = [
    ['git.auth', 'block.auth'],
    ['git.auth.username', 'block.auth'],
    ['git.auth[0].x', 'block.auth'],
    ['filter.names.include[3]', 'filter.names.include'],
    ['claims.org', 'claims'],
    ['git.other', undefined],
    ['claimsx', undefined],
    ['', undefined],
    ['.', undefined],
    ['[[', undefined],
  ] as const;
  for (const [place, field] of cases) {
    it(`of ${JSON.stringify(place)} is ${String(field)}`, () => {
      expect(nearestField(place, fields)).to.equal(field);
    });
  }
});
