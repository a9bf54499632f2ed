import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  type Change,
  insertRelease,
  nextVersion,
  readChanges,
  readRelease,
  renderRelease,
} from '../../../scripts/release/changes.ts';
import { listVersionPlaces, setVersion } from '../../../scripts/release/versions.ts';

const change = (section: Change['section'], ...lines: readonly string[]): Change => ({
  file: `changes/a.${section.toLowerCase()}.md`,
  section,
  lines,
});

describe('changes of a release', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-changes-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(root, file)), { recursive: true });
      await writeFile(path.join(root, file), text);
    }
  };

  describe('readChanges', () => {
    it('reads files sorted by name, without the README', async () => {
      await write({
        'changes/README.md': '# Changes',
        'changes/tides.fixed.md': 'Tides are right.\n',
        'changes/maps.added.md': 'Maps exist.\n`portolan maps` lists them.\n',
      });
      expect(await readChanges(root)).to.deep.equal({
        changes: [
          {
            file: 'changes/maps.added.md',
            section: 'Added',
            lines: ['Maps exist.', '`portolan maps` lists them.'],
          },
          { file: 'changes/tides.fixed.md', section: 'Fixed', lines: ['Tides are right.'] },
        ],
        faults: [],
      });
    });

    for (const { title, file = 'changes/a.fixed.md', text = 'Tides are right.', fault } of [
      { title: 'a name without a section', file: 'changes/a.md', fault: /the name must be/ },
      { title: 'an unknown section', file: 'changes/a.removed.md', fault: /breaking, added, changed/ },
      { title: 'a folder', file: 'changes/more/a.fixed.md', fault: /the name must be/ },
      { title: 'capitals in the name', file: 'changes/A.fixed.md', fault: /the name must be/ },
      { title: 'a line over 200 characters', text: `${'a'.repeat(200)}.`, fault: /201 characters/ },
      { title: 'an empty file', text: '', fault: /an empty line/ },
      { title: 'an empty line', text: 'One.\n\nTwo.\n', fault: /a.fixed.md:2: an empty line/ },
      { title: 'a list marker', text: '- Tides are right.', fault: /a list marker/ },
      { title: 'a heading', text: '# Tides.', fault: /a list marker or heading/ },
      { title: 'no full stop', text: 'Tides are right', fault: /no full stop/ },
      { title: 'a carriage return', text: 'Tides are right.\r\n', fault: /white space/ },
    ]) {
      it(`reports ${title}`, async () => {
        await write({ [file]: text });
        expect((await readChanges(root)).faults.join('\n')).to.match(fault);
      });
    }

    it('accepts a line of exactly 200 characters', async () => {
      await write({ 'changes/a.fixed.md': `${'a'.repeat(199)}.\n` });
      expect((await readChanges(root)).faults).to.deep.equal([]);
    });
  });

  describe('nextVersion', () => {
    for (const { current, sections, expected } of [
      { current: '0.2.0', sections: ['Fixed', 'Security', 'Changed'], expected: '0.2.1' },
      { current: '0.2.3', sections: ['Fixed', 'Added'], expected: '0.3.0' },
      { current: '0.2.3', sections: ['Deprecated'], expected: '0.3.0' },
      { current: '0.9.3', sections: ['Breaking'], expected: '0.10.0' },
      { current: '1.4.2', sections: ['Breaking', 'Added'], expected: '2.0.0' },
      { current: '1.4.2', sections: ['Added'], expected: '1.5.0' },
    ] as const) {
      it(`raises ${current} to ${expected} for ${sections.join(', ')}`, () => {
        expect(
          nextVersion(
            current,
            sections.map((section) => change(section)),
          ),
        ).to.equal(expected);
      });
    }
  });

  it('are written below the head of the changelog, in the order of the sections', () => {
    const part = renderRelease('0.3.0', '2026-12-24', [
      change('Fixed', 'Tides are right.'),
      change('Breaking', 'Maps moved.', 'Charts moved.'),
      change('Fixed', 'Winds are right.'),
    ]);
    const changelog = insertRelease('# Changelog\n\nHead.\n\n## 0.2.0 - 2026-11-29\n\nOld.\n', part);
    expect(changelog).to.equal(
      '# Changelog\n\nHead.\n\n## 0.3.0 - 2026-12-24\n\n### Breaking\n\n- Maps moved.\n- Charts moved.\n\n' +
        '### Fixed\n\n- Tides are right.\n- Winds are right.\n\n## 0.2.0 - 2026-11-29\n\nOld.\n',
    );
    expect(readRelease(changelog, '0.2.0')).to.equal('Old.\n');
    expect(readRelease(changelog, '0.3.0')).to.match(/^### Breaking[^]*Winds are right\.\n$/);
    expect(() => readRelease(changelog, '0.1.0')).to.throw('## 0.1.0 - DATE');
  });

  it('set the version of our packages and of the ranges that name them, and no other version', async () => {
    const manifest = (own: string): string => `{
  "name": "@portolan/kernel",
  "version": "${own}",
  "dependencies": { "@portolan/plugin-api": "^${own}", "waves": "^0.2.0" }
}
`;
    const chart = (own: string): string => `version: ${own}\nappVersion: ${own}\nkubeVersion: ">=1.20.0-0"\n`;
    const files = (own: string): Readonly<Record<string, string>> => ({
      'packages/kernel/package.json': manifest(own),
      'deploy/helm/portolan/Chart.yaml': chart(own),
      'docs/plugins.md': `npm i ./portolan-plugin-api-${own}.tgz ./portolan-plugin-wiki-0.2.0.tgz\n`,
      'docs/decisions/0001-a.md': '"@portolan/plugin-api": "^0.2.0"\n',
    });
    await write(files('0.2.0'));
    expect(await setVersion(root, '0.3.0')).to.have.members(
      Object.keys(files('')).filter((file) => !file.startsWith('docs/decisions')),
    );
    for (const [file, text] of Object.entries(files('0.3.0')))
      expect(await readFile(path.join(root, file), 'utf8'), file).to.equal(text);
    const versions = (await listVersionPlaces(root)).map(({ version }) => version);
    expect(versions)
      .to.deep.equal(Array.from(versions, () => '0.3.0'))
      .and.to.have.length(5);
  });
});
