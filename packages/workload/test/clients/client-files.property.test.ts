import { expect } from 'chai';
import fc from 'fast-check';
import { stringify as toToml } from '@decimalturn/toml-patch';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseYaml, stringify as toYaml } from 'yaml';
import { entryFor } from '../../src/clients/client-entry.ts';
import { type ClientProgram, getClient } from '../../src/clients/client-table.ts';
import { withEntry, withoutEntry } from '../../src/clients/edit-client-file.ts';
import { textOfEdit } from './text-of-edit.ts';
import { trials } from '../../../../test/support/soak.ts';

const address = { name: 'notes', url: 'http://127.0.0.1:18080/mcp', transport: 'streamable-http' } as const;

async function addAndRemove(
  client: ClientProgram,
  text: string,
): Promise<{ readonly added: string; readonly left: string }> {
  const added = textOfEdit(await withEntry(client, text, entryFor(client, address), address.url));
  return { added, left: textOfEdit(await withoutEntry(client, added, 'notes', undefined)) };
}

const word = fc.stringMatching(/^[a-z][a-z-]{0,7}$/).filter((text) => text !== 'notes');
const scalar = fc.oneof(fc.integer({ min: -99, max: 9999 }), fc.boolean(), fc.string({ maxLength: 12 }));
const entry = fc.dictionary(word, fc.oneof(scalar, fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 })), {
  minKeys: 1,
  maxKeys: 3,
});
const servers = fc.dictionary(word, entry, { minKeys: 1, maxKeys: 4 });

const gap = fc.constantFrom(
  '',
  '',
  ' ',
  '\n',
  '\n\t',
  '\n    ',
  ' // note\n',
  ' /* a, { } */ ',
  '\n// "x": {\n  ',
  '\r\n',
  ' /*\n*/\n',
);
const jsonc: fc.Memo<string> = fc.memo((depth) =>
  depth <= 1
    ? fc.oneof(
        fc.integer().map(String),
        fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
        fc.constant('null'),
      )
    : fc.oneof(jsonc(1), object(jsonc(depth - 1)), list(jsonc(depth - 1))),
);

function object(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return members(
    fc.uniqueArray(fc.tuple(word, value), { selector: ([key]) => key, minLength: 1, maxLength: 3 }),
  );
}

function members(pairs: fc.Arbitrary<readonly (readonly [string, string])[]>): fc.Arbitrary<string> {
  return fc
    .tuple(pairs, fc.array(gap, { minLength: 16, maxLength: 16 }), fc.boolean())
    .map(([found, gaps, comma]) => {
      const texts = found.map(
        ([key, text], index) =>
          `${gaps[index * 4]}"${key}"${gaps[index * 4 + 1]}:${gaps[index * 4 + 2]}${text}${gaps[index * 4 + 3]}`,
      );
      return `{${texts.join(',')}${comma ? ',' : ''}${gaps[15]}}`;
    });
}

function list(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(value, { maxLength: 2 }), gap)
    .map(([items, after]) => `[${items.join(',')}${after}]`);
}

describe('withEntry and withoutEntry with random files', () => {
  it('restore JSON with comments byte for byte, and change only the entry', async () => {
    const client = getClient('cursor');
    const map = object(object(jsonc(1)));
    const document = fc.tuple(map, jsonc(2), jsonc(2), gap).chain(([found, one, other, after]) =>
      members(
        fc.constant([
          ['before', one],
          ['mcpServers', found],
          ['zed', other],
        ] as const),
      ).map((text) => text + after),
    );
    await fc.assert(
      fc.asyncProperty(document, async (text) => {
        const { added, left } = await addAndRemove(client, text);
        expect(left).to.equal(text);
        // oxlint-disable-next-line typescript/no-unsafe-assignment -- the parser has no types for what it reads
        const [before, after] = [parseJson(text), parseJson(added)];
        expect(after).to.deep.equal({
          ...before,
          mcpServers: { ...before.mcpServers, notes: entryFor(client, address).fields },
        });
        expect(isLeftOf(text, added)).to.equal(true);
      }),
      trials({ short: 400 }),
    );
  });

  for (const id of ['goose', 'continue']) {
    it(`restore YAML of ${id} byte for byte`, async () => {
      const client = getClient(id);
      const note = fc.constantFrom('', '# note\n', '\n', '\n# a: [\n\n');
      const indent = fc.constantFrom(2, 4);
      await fc.assert(
        fc.asyncProperty(
          entry,
          servers,
          entry,
          note,
          note,
          indent,
          fc.boolean(),
          async (one, found, other, a, b, spaces, seq) => {
            const held =
              id === 'goose' ? found : Object.entries(found).map(([name, fields]) => ({ name, ...fields }));
            const options = { indent: spaces, indentSeq: seq };
            const own = toYaml({ [client.servers]: held }, options);
            const text = a + toYaml({ one }, options) + b + own + a + toYaml({ other }, options) + b;
            const { added, left } = await addAndRemove(client, text);
            expect(left).to.equal(text);
            // oxlint-disable-next-line typescript/no-unsafe-assignment -- the parser has no types for what it reads
            const [before, after] = [parseYaml(text), parseYaml(added)];
            expect({ ...after, [client.servers]: 0 }).to.deep.equal({ ...before, [client.servers]: 0 });
          },
        ),
        trials({ short: 150 }),
      );
    });
  }

  for (const id of ['codex', 'mistral-vibe']) {
    it(`restore TOML of ${id} byte for byte`, async () => {
      const client = getClient(id);
      const note = fc.constantFrom('', '# note\n', '\n', '\n# [mcp_servers.notes]\n\n');
      await fc.assert(
        fc.asyncProperty(entry, servers, entry, note, note, async (one, found, other, a, b) => {
          const held =
            id === 'codex' ? found : Object.entries(found).map(([name, fields]) => ({ name, ...fields }));
          const text =
            a + toToml({ one }) + b + toToml({ [client.servers]: held }) + a + toToml({ other }) + b;
          const { added, left } = await addAndRemove(client, text);
          expect(left).to.equal(text);
          expect(added.startsWith(text.trimEnd())).to.equal(true);
        }),
        trials({ short: 150 }),
      );
    });
  }
});

/** Returns whether `text` is `whole` with some characters removed. */
function isLeftOf(text: string, whole: string): boolean {
  let at = 0;
  for (const sign of text) {
    at = whole.indexOf(sign, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
