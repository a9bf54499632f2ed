import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { MAX_CHANGE_LENGTH, readChanges, SECTIONS } from '../../scripts/release/changes.ts';
import { listVersionPlaces } from '../../scripts/release/versions.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Maximum number of bytes of a version in the changelog. Figures belong in `bench/RECORDS.md`, reasons in decisions. */
const MAX_VERSION_BYTES = 30_000;

describe('change files, changelog and version numbers', () => {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string; // SAFETY: npm requires the field.
  };
  const parts = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);

  it('change files have the form that changes/README.md describes', async () => {
    const { faults } = await readChanges(ROOT);
    expect(faults.join('\n')).to.equal('');
  });

  it('manifests, lock file, chart and documentation have the same version', async () => {
    const places = await listVersionPlaces(ROOT);
    expect(places.length).to.be.greaterThan(400);
    const others = places.filter((place) => place.version !== version);
    expect(others, `places without ${version}; npm run release writes all of them`).to.deep.equal([]);
  });

  it('the changelog begins with the newest version; newer changes are change files', () => {
    const [head = '', newest = ''] = parts;
    const advice = 'write changes/NAME.SECTION.md instead of a line in CHANGELOG.md';
    expect(newest.split(' - ', 1)[0], advice).to.equal(`## ${version}`);
    expect(head, advice).not.to.match(/^[-*] /m);
  });

  it('the changelog has a dated part for the version, with known sections and short lines', () => {
    const part = parts.find((text) => text.startsWith(`## ${version} `)) ?? '';
    expect(part).to.match(/^## \d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}\n/);
    const sections = [...part.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    expect(sections).to.deep.equal(SECTIONS.filter((name) => sections.includes(name)));
    expect(Buffer.byteLength(part)).to.be.at.most(MAX_VERSION_BYTES);
    expect(part.split('\n').filter((line) => line.length > MAX_CHANGE_LENGTH)).to.deep.equal([]);
  });
});
