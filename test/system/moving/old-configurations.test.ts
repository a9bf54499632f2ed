import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runPortolan } from '../../support/command-line.ts';
import { splitWords } from '../../support/examples/read-steps.ts';
import { shownIn } from '../../support/examples/shown-in.ts';
import { OLD_CONFIGURATIONS } from './old-configurations.ts';

const GUIDE = path.resolve(import.meta.dirname, '../../../docs/operate/migrate-a-registry.md');

/** Returns the places of problems: the second word of each line that begins with line and column. */
function placesIn(report: string): readonly string[] {
  return [...report.matchAll(/^ +\d+:\d+ +(\S+) +found /gm)].map(([, place = '']) => place);
}

describe('docs/operate/migrate-a-registry.md', function () {
  this.timeout(180_000); // The cases start the command line.

  let folder: string;
  let guide: string;
  let command: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-moving-'));
    const catalogue = JSON.stringify({ data: { servers: [] } });
    for (const name of ['catalogue.json', 'upstream.json'])
      await writeFile(path.join(folder, name), catalogue);
    guide = await readFile(GUIDE, 'utf8');
    command = await shownIn('docs/operate/migrate-a-registry.md', 'portolan config check ');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('shows the command that the tests below run', () => {
    expect(command).to.equal('portolan config check --config thv-registry.yaml\n');
  });

  for (const { name, text, changes } of OLD_CONFIGURATIONS) {
    it(`${name}: ${changes.length === 0 ? 'loads as it is' : `has to be changed at ${changes.join(', ')}`}`, async () => {
      await writeFile(path.join(folder, 'thv-registry.yaml'), text);
      const [, ...args] = splitWords(command);
      const { status, stderr } = await runPortolan(args, { cwd: folder });
      expect([...placesIn(stderr)].toSorted(), stderr).to.deep.equal([...changes].toSorted());
      expect(status, stderr).to.equal(changes.length === 0 ? 0 : 2);
      for (const place of changes) {
        const key = place.replaceAll(/\[\d+\]/g, '[]');
        const rows = guide.split('\n').map((line) => /^\| (.*?) \|/.exec(line)?.[1] ?? '');
        expect(
          rows.some((keys) => keys.includes(`\`${key}\``)),
          `a row for ${key}`,
        ).to.equal(true);
      }
    });
  }
});
