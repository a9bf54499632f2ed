import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { WORKLOAD_LISTS } from '../../packages/kernel/src/kind-lists/kind-lists.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Names in the sources that no reference lists, with the reason. */
const NOT_FOR_USERS: ReadonlyMap<string, string> = new Map([
  ['PORTOLAN_DIST', 'for developers: runs the built JavaScript of a checkout'],
  ['PORTOLAN_SSH_CONFIGURATION', 'Portolan sets it for git, and does not read it'],
  ['PORTOLAN_SECRET_NAME', 'stands for PORTOLAN_SECRET_ and the name of a secret'],
]);

/** Names that are composed in the sources, which the search cannot find. */
const COMPOSED: ReadonlyMap<string, string> = new Map([
  ['packages/kernel/src/config/environment-names.ts', 'variables of docs/reference/config.md'],
  ['packages/workload/src/consent/environment-demands.ts', 'asks about variables that other files name'],
]);

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const sources = globSync('{packages,plugins}/*/src/**/*.ts', { cwd: ROOT }).map((file) => ({
  file: file.replaceAll(path.sep, '/'),
  text: read(file),
}));

describe('environment variables', () => {
  it('that the sources name are in the reference', () => {
    const reference = globSync('docs/reference/**/*.md', { cwd: ROOT }).map(read).join('\n');
    const listed = new Set(reference.match(/\bPORTOLAN_[A-Z0-9_]+/g));
    const named = new Set(
      sources.flatMap(({ text }) => text.match(/\bPORTOLAN_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []),
    );
    expect(named.size).to.be.above(30);
    const missing = [...named].filter((name) => !listed.has(name) && !NOT_FOR_USERS.has(name));
    expect(missing.toSorted(), 'add them to environment-help.ts, and run `npm run docs`').to.deep.equal([]);
    expect([...NOT_FOR_USERS.keys()].filter((name) => !named.has(name))).to.deep.equal([]);
  });

  it('have their whole names in the sources, so that a search finds them', () => {
    const composing = sources.filter(({ text }) => /`PORTOLAN_\$\{|'PORTOLAN_'/.test(text));
    expect(composing.map(({ file }) => file).toSorted()).to.deep.equal([...COMPOSED.keys()]);
  });

  it('are in the reference of the configuration only for settings that read them', () => {
    const rows = read('docs/reference/config.md').split('\n');
    const ofWorkloads = rows.filter((row) => WORKLOAD_LISTS.some((list) => row.startsWith(`| \`${list}.`)));
    expect(ofWorkloads.length).to.be.above(30);
    expect(ofWorkloads.filter((row) => row.includes('| `PORTOLAN_'))).to.deep.equal([]);
  });
});
