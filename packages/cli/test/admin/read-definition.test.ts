import { expect } from 'chai';
import { Readable } from 'node:stream';
import { readDefinition } from '../../src/admin/read-definition.ts';

const read = async (text: string): Promise<unknown> =>
  await readDefinition('-', 'partners', Readable.from([text])).catch((error: unknown) => error);

describe('readDefinition', () => {
  it('reads YAML and JSON, with and without the name', async () => {
    const expected = { managed: {}, claims: { org: 'acme' } };
    expect(await read('managed: {}\nclaims: { org: acme }\n')).to.deep.equal(expected);
    expect(await read('{"name": "partners", "managed": {}, "claims": {"org": "acme"}}')).to.deep.equal(
      expected,
    );
  });

  const bad = [
    { title: 'a definition of another one', text: 'name: other\nmanaged: {}', says: 'is about "other"' },
    { title: 'a list', text: '- managed: {}', says: 'no map' },
    { title: 'nothing', text: '', says: 'no map' },
    { title: 'what is no YAML', text: 'a: [', says: 'neither YAML nor JSON' },
    { title: 'a key that stands twice', text: 'managed: {}\nmanaged: {}', says: 'neither YAML nor JSON' },
    {
      title: 'aliases that grow without end',
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
    it(`refuses ${title}`, async () => {
      const error = await read(text);
      expect(error).to.have.property('code', 'ERR_NAMED_FILE');
      expect(String(error)).to.include(says);
    });
  }
});
