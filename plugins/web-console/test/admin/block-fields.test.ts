import { expect } from 'chai';
import { blockPlaces, inWords, mayEcho, storedAt, typedOf } from '../../src/admin/sources/block-fields.ts';
import { readBlock } from '../../src/admin/sources/read-block.ts';
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
    auth: {
      type: 'object',
      required: ['token'],
      properties: {
        user: text,
        token: { ...text, writeOnly: true },
        more: { type: 'object', properties: { id: text } },
      },
    },
    headers: { type: 'object', additionalProperties: { ...text, writeOnly: true } },
    free: { type: 'object' },
  },
};

describe('block fields', () => {
  const cases = [
    { key: 'path', typed: ' ./x.json ', value: './x.json' },
    { key: 'types', typed: 'a\r\n\r\n b ', value: ['a', 'b'] },
    { key: 'most', typed: '12', value: 12 },
    { key: 'most', typed: '-1.5', value: -1.5 },
    { key: 'most', typed: '1e9', value: '1e9' },
    { key: 'allow', typed: 'true', value: true },
    { key: 'allow', typed: 'false', value: false },
    { key: 'mode', typed: 'b', value: 'b' },
    { key: 'free', typed: '{"token": "x"}', value: { token: 'x' } },
    { key: 'headers', typed: 'A: 1\r\n B :2:3', value: { A: '1', B: '2:3' } },
  ] as const;
  for (const { key, typed, value } of cases) {
    it(`parse ${JSON.stringify(typed)} in ${key}`, () => {
      const { block, problems } = readBlock(schema, new URLSearchParams({ [`block.${key}`]: typed }));
      expect(block).to.deep.equal({ [key]: value });
      expect(problems.size).to.equal(0);
    });

    it(`show the stored value of ${JSON.stringify(typed)} in ${key}`, () => {
      const shown = typedOf(schema.properties[key], value);
      const { block } = readBlock(schema, new URLSearchParams({ [`block.${key}`]: shown }));
      expect(block).to.deep.equal({ [key]: value });
    });
  }

  it('omit empty fields, and fields that the kind does not have', () => {
    const form = new URLSearchParams({ 'block.path': ' ', 'block.other': 'x', other: 'y' });
    expect(readBlock(schema, form).block).to.deep.equal({});
  });

  it('report a parse failure at its field', () => {
    const form = new URLSearchParams({ 'block.free': '{', 'block.headers': 'A: 1\n: 2' });
    const { block, problems } = readBlock(schema, form);
    expect(block).to.deep.equal({});
    expect([...problems]).to.deep.equal([
      ['block.headers', ['Line 2 is not of the form Name: value.']],
      ['block.free', ['This is not JSON.']],
    ]);
  });

  it('include those of a nested map, which is omitted when all are empty', () => {
    const form = new URLSearchParams({
      'block.auth.token': 'x',
      'block.auth.more.id': '7',
      'block.path': 'p',
    });
    const { block } = readBlock(schema, form);
    expect(block).to.deep.equal({ path: 'p', auth: { token: 'x', more: { id: '7' } } });
    expect(storedAt(block, 'auth.more.id')).to.equal('7');
    expect(storedAt(block, 'path.length')).to.equal(undefined);
    expect(storedAt(block, 'auth.constructor.name')).to.equal(undefined);
    form.delete('block.auth.token');
    form.delete('block.auth.more.id');
    expect(readBlock(schema, form).block).to.deep.equal({ path: 'p' });
  });

  it('have a place for every error of the API about a map', () => {
    expect(Object.fromEntries(blockPlaces(schema))).to.include({
      path: 'block.path',
      auth: 'block.auth.token',
      'auth.user': 'block.auth.user',
      'auth.more': 'block.auth.more.id',
    });
  });

  for (const [key, label] of [
    ['repository', 'Repository'],
    ['caCertPath', 'CA cert path'],
    ['allowHttp', 'Allow HTTP'],
    ['clientId', 'Client ID'],
    ['url', 'URL'],
  ] as const)
    it(`label ${key} as ${label}`, () => {
      expect(inWords(key)).to.equal(label);
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
    it(`returns ${expected} for ${title}`, () => {
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
    it(`returns ${String(field)} for ${JSON.stringify(place)}`, () => {
      expect(nearestField(place, fields)).to.equal(field);
    });
  }
});
