import { expect } from 'chai';
import { Readable } from 'node:stream';
import { readDefinition } from '../../src/admin/read-definition.ts';

const read = async (text: string): Promise<unknown> =>
  await readDefinition('-', 'partners', Readable.from([text])).catch((error: unknown) => error);

describe('readDefinition', () => {
  it('parses YAML and JSON, with and without the name', async () => {
    const expected = { managed: {}, claims: { org: 'acme' } };
    expect(await read('managed: {}\nclaims: { org: acme }\n')).to.deep.equal(expected);
    expect(await read('{"name": "partners", "managed": {}, "claims": {"org": "acme"}}')).to.deep.equal(
      expected,
    );
  });

  const bad = [
    {
      title: 'a definition with another name',
      text: 'name: other\nmanaged: {}',
      says: 'found the name "other"',
    },
    { title: 'a list', text: '- managed: {}', says: 'not a map' },
    { title: 'an empty file', text: '', says: 'not a map' },
    { title: 'invalid YAML', text: 'a: [', says: 'neither YAML nor JSON' },
    { title: 'a repeated key', text: 'managed: {}\nmanaged: {}', says: 'neither YAML nor JSON' },
    {
      title: 'aliases that expand exponentially',
      text: `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
        .split('')
        .map(
          (name, at) =>
            `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefg'[at]}`).join(',')}]`,
        )
        .join('\n')}`,
      says: 'aliases',
    },
  ];
  for (const { title, text, says } of bad) {
    it(`rejects ${title}`, async () => {
      const error = await read(text);
      expect(error).to.have.property('code', 'ERR_NAMED_FILE');
      expect(String(error)).to.include(says);
    });
  }
});
